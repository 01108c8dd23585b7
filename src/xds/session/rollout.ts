import { backoffDelay } from "../../base/mod.ts";
import { RESOURCE_TYPES, resourceTypeOf } from "../../envoy/mod.ts";
import type { Snapshot } from "../../snapshot/mod.ts";
import { select } from "../select.ts";
import { standsInWhenAsked, withStandIns } from "../stand_in.ts";
import { subscription } from "../subscription.ts";
import { difference, isEmpty, merge, namesOf, only, retain, rewarm, type View, viewVersion, without } from "../view.ts";
import { CDS, EDS, hasAllClusters, LDS, VHDS } from "./clusters.ts";
import { dueNames, nextDeparture, scheduled } from "./departures.ts";
import { desiredView } from "./desired.ts";
import { nonceOf, type Send } from "./send.ts";
import type { Departure, Hold, InFlight, Offer, SessionState, TypeState } from "./state.ts";

/** What a stream is to be sent now. */
export interface Rollout {
  readonly state: SessionState;
  readonly sends: readonly Send[];
  /** When to look again if nothing happens before; `undefined` for never. */
  readonly wakeAt: number | undefined;
}

const TYPE_ORDER = RESOURCE_TYPES.map((type) => type.typeUrl);
/** Sent without waiting: what must be there before anything refers to it. */
const FIRST = new Set(
  RESOURCE_TYPES.filter((type) => ["CDS", "EDS", "SDS"].includes(type.short)).map((t) => t.typeUrl),
);

/**
 * Decides what a stream gets now. Make before break, per stream and by type, never by a graph of references (Lua,
 * `cluster_header` and Wasm hide names):
 *
 * ```
 *  (a) CDS as a superset, EDS, SDS ──► (b) LDS ──► (c) RDS SRDS VHDS ECDS RTDS ──► (d) CDS removals ──► the other removals
 *                            CDS acked or 5 s   LDS acked or 5 s        all acked, and a delay
 * ```
 *
 * Pure: the same state and time give the same answer, and a second call right after the first sends nothing.
 */
export function rollout(state: SessionState, now: number): Rollout {
  return state.offer ? new Plan(state, state.offer, now).run() : { state, sends: [], wakeAt: undefined };
}

/** One decision in the making; lives for one call of {@linkcode rollout}. */
class Plan {
  readonly #sends: Send[] = [];
  readonly #types: Map<string, TypeState>;
  readonly #settled = new Map<string, boolean>();
  #nonces: number;
  #wakeAt: number | undefined;
  #departures: readonly Departure[];
  #settledAt: number | undefined;

  constructor(readonly state: SessionState, readonly offer: Offer, readonly now: number) {
    this.#types = new Map(state.types);
    this.#nonces = state.nonces;
    this.#departures = state.departures;
    this.#settledAt = state.settledAt;
  }

  run(): Rollout {
    const { state } = this;
    const order = inOrder(this.#types);
    for (const typeUrl of order) this.#advance(typeUrl);
    if (this.#noteSettled()) { // what waited for this may go, or has a time at which it may
      for (const typeUrl of order) this.#advance(typeUrl);
      this.#noteSettled();
    }
    const nothingNew = this.#sends.length === 0 && this.#settledAt === state.settledAt &&
      this.#departures === state.departures && [...this.#types].every(([url, type]) => state.types.get(url) === type);
    const next = nothingNew ? state : {
      ...state,
      types: this.#types,
      nonces: this.#nonces,
      departures: this.#departures,
      settledAt: this.#settledAt,
      base: this.#settledAt === undefined ? state.base : undefined,
    };
    return { state: next, sends: this.#sends, wakeAt: this.#wakeAt };
  }

  #advance(typeUrl: string): void {
    const type = this.#types.get(typeUrl)!; // the caller walks the keys of this map
    const desired = this.#wanted(this.offer.snapshot, type);
    const target = this.#target(type, desired);
    const hold = this.#closedGate(type);
    if (type.unanswered !== undefined) this.#answer(type, { desired, target, hold });
    else this.#push(type, { target, hold });
    const after = this.#types.get(typeUrl)!;
    const refused = after.refused?.serial === this.offer.serial;
    const settled = after.unanswered === undefined && isEmpty(difference(after.held, target));
    this.#settled.set(typeUrl, refused || (settled && after.inFlight.length === 0));
  }

  #wanted(snapshot: Snapshot, { typeUrl, subscription }: TypeState): View {
    return desiredView(snapshot, { typeUrl, subscription, protocol: this.state.protocol });
  }

  /** What the client shall hold at this point of the roll-out: the wanted, and what may not go yet. */
  #target(type: TypeState, desired: View): View {
    if (!this.state.policy.makeBeforeBreak || type.typeUrl === LDS) return desired;
    const before = this.state.vanished && select(this.state.vanished.types.get(type.typeUrl), type.subscription);
    const kept = retain(before && type.typeUrl !== VHDS ? retain(desired, before) : desired, type.held);
    if (kept === desired) return desired;
    if (type.typeUrl === CDS) {
      return this.#mayRemove()
        ? retain(desired, without(type.held, subscription(false, dueNames(this.#departures, this.now))))
        : kept;
    }
    const open = this.#settledAt === undefined ? Infinity : this.#settledAt + this.state.policy.removalDelayMs;
    if (this.now < open) this.#wake(open);
    return this.now >= open && !this.#clustersLinger() ? desired : kept;
  }

  /** Removal needs everything but removals acknowledged; a refusal freezes it until the next snapshot. */
  #mayRemove(): boolean {
    return this.#settledAt !== undefined && !this.#anyRefused();
  }

  #clustersLinger(): boolean {
    const clusters = this.#types.get(CDS);
    return clusters !== undefined && this.#extras(clusters).length > 0;
  }

  #extras(type: TypeState): readonly string[] {
    const desired = this.#wanted(this.offer.snapshot, type);
    return difference(type.held, desired).removed;
  }

  #anyRefused(): boolean {
    return [...this.#types.values()].some((type) => type.refused?.serial === this.offer.serial);
  }

  /** The stage before must be acknowledged first, for a while; `undefined` when nothing is in the way. */
  #closedGate(type: TypeState): Hold | undefined {
    const { makeBeforeBreak, holdMs } = this.state.policy;
    if (!makeBeforeBreak || FIRST.has(type.typeUrl)) return undefined;
    for (const before of type.typeUrl === LDS ? [CDS] : [CDS, LDS]) {
      if (this.#settled.get(before) !== false) continue;
      const waitingFor = `${shortName(before)} to be acknowledged`;
      const since = type.hold?.waitingFor === waitingFor ? type.hold.since : this.now;
      const sentAt = this.#types.get(before)?.inFlight.at(-1)?.sentAt ?? Infinity;
      const until = Math.min(since, sentAt) + holdMs;
      if (this.now < until) return sameHold(type.hold, { waitingFor, since, until });
    }
    return undefined;
  }

  /**
   * Answers wait but a moment for what they may refer to, and those to on-demand requests not at all. For all listeners, and
   * for a client that came back with a configuration and keeps using it, the stages are as for a push.
   */
  #answer(type: TypeState, at: { desired: View; target: View; hold: Hold | undefined }): void {
    const { desired, target, hold } = at;
    if (hold && type.typeUrl !== VHDS) {
      const whole = type.unanswered === "everything" && (type.resumed || type.subscription.wildcard);
      const until = whole ? hold.until : type.askedAt + this.state.policy.answerHoldMs;
      if (this.now < until) return this.#wait(type, hold, Math.min(until, hold.until));
    }
    const { typeUrl, unanswered } = type;
    const asked = unanswered === undefined || unanswered === "everything" ? type.subscription : unanswered;
    const sotw = this.state.protocol === "sotw";
    const complete = (view: View) => sotw && standsInWhenAsked(typeUrl) ? withStandIns(view, asked, typeUrl) : view;
    if (asked === type.subscription) return this.#send(type, complete(target), { push: false });
    const fullState = resourceTypeOf(typeUrl)?.fullState ?? false;
    if (this.#blocked(type) && sotw && !fullState) {
      const partial = complete(only(desired, asked));
      return this.#send(type, partial, { push: false, held: merge(type.held, partial, asked) });
    }
    const free = hold === undefined && !this.#blocked(type) && !type.inFlight.some((response) => response.push);
    this.#send(type, complete(free ? target : merge(type.held, desired, asked)), { push: false });
  }

  /** One unacknowledged push per type; a newer snapshot supersedes it after a while, since a warming Envoy does not answer. */
  #push(type: TypeState, at: { target: View; hold: Hold | undefined }): void {
    const { target, hold } = at;
    const pending = difference(type.held, target);
    if (isEmpty(pending) && !this.#versionChanged(type)) return this.#release(type);
    const fullState = resourceTypeOf(type.typeUrl)?.fullState ?? false;
    if (this.state.protocol === "sotw" && !fullState && pending.changed.size === 0 && pending.removed.length > 0) {
      return this.#replace({ ...type, held: target, hold: undefined }); // a state-of-the-world client cannot be told
    }
    if (this.#blocked(type)) return this.#release(type);
    if (hold) return this.#wait(type, hold);
    const pushes = type.inFlight.filter((response) => response.push);
    const newest = pushes.at(-1);
    if (newest) {
      const until = newest.sentAt + this.state.policy.supersedeAfterMs;
      const room = pushes.length < this.state.policy.maxInFlight;
      if (this.now < until || !room) {
        const waitingFor = `${shortName(type.typeUrl)} ${newest.version} to be acknowledged`;
        return this.#wait(
          type,
          sameHold(type.hold, { waitingFor, since: newest.sentAt, until: room ? until : Infinity }),
        );
      }
    }
    this.#send(type, target, { push: true });
  }

  /** A version that the embedding program gave is told even if it stands for the same content. */
  #versionChanged(type: TypeState): boolean {
    const given = this.offer.snapshot.types.get(type.typeUrl)?.givenVersion;
    return this.state.protocol === "sotw" && given !== undefined && type.sent?.version !== given;
  }

  /** A refused response is not repeated for the same snapshot, unless nothing better is left: then ever more rarely. */
  #blocked(type: TypeState): boolean {
    const { refused } = type;
    if (refused?.serial !== this.offer.serial) return false;
    if (!this.offer.retryRefused) return true;
    const at = refused.at + backoffDelay(refused.attempts, this.state.policy.retry);
    if (this.now < at) this.#wake(at);
    return this.now < at;
  }

  #send(type: TypeState, view: View, how: { push: boolean; held?: View }): void {
    const { protocol } = this.state;
    const { typeUrl } = type;
    const change = difference(type.held, view);
    const nonce = nonceOf(++this.#nonces);
    const version = this.offer.snapshot.types.get(typeUrl)?.givenVersion ?? viewVersion(view);
    const payload = protocol === "sotw" ? { protocol, view } : { protocol, difference: change };
    this.#sends.push({ typeUrl, nonce, version, payload });
    const { serial, snapshot: { revision } } = this.offer;
    const names = protocol === "sotw" ? namesOf(view) : namesOf(change);
    const response: InFlight = {
      nonce,
      push: how.push,
      sentAt: this.now,
      serial,
      revision,
      version,
      names,
      before: type.held,
    };
    this.#replace({
      ...type,
      held: how.held ?? view,
      inFlight: [...type.inFlight, response],
      lastNonce: nonce,
      unanswered: undefined,
      sent: { version, serial, revision, at: this.now },
      hold: undefined,
    });
    const endpoints = this.#types.get(EDS);
    if (typeUrl === CDS && endpoints) this.#replace({ ...endpoints, held: rewarm(endpoints.held, change) });
  }

  /**
   * Remembers when all but removals was acknowledged, and from then on counts down for clusters nothing refers to. True when
   * that has just come true.
   */
  #noteSettled(): boolean {
    const clusters = this.#types.get(CDS);
    const settled = [...this.#settled].every(([url, value]) => value || FIRST.has(url)) && !this.#anyRefused() &&
      (clusters === undefined || hasAllClusters(clusters, this.offer.snapshot, this.state.protocol));
    const news = settled && this.#settledAt === undefined;
    if (news) this.#settledAt = this.now;
    if (!clusters || !this.state.policy.makeBeforeBreak) return news;
    const extras = this.#extras(clusters);
    const due = this.now + this.state.policy.removalDelayMs;
    // After a refusal listeners that refer to them may still be in use: the countdown begins anew with the next snapshot.
    const dated = this.#anyRefused() && this.#departures.length > 0 ? [] : this.#departures;
    this.#departures = scheduled(dated, { extras, settled, due });
    if (extras.length === 0) return news;
    const next = nextDeparture(this.#departures, this.now);
    if (this.#mayRemove()) this.#wake(next);
    const reason = this.#anyRefused()
      ? "a snapshot that is not refused"
      : settled
      ? "the removal delay"
      : "all types to be acknowledged";
    const waitingFor = `${reason}, before ${extras.length} cluster${extras.length === 1 ? " is" : "s are"} removed`;
    const since = this.#settledAt ?? this.state.offeredAt;
    if (!clusters.hold) this.#replace({ ...clusters, hold: { waitingFor, since, until: next } });
    return news;
  }

  #wait(type: TypeState, hold: Hold, until = hold.until): void {
    if (Number.isFinite(until)) this.#wake(until);
    if (type.hold !== hold) this.#replace({ ...type, hold });
  }

  #release(type: TypeState): void {
    if (type.hold) this.#replace({ ...type, hold: undefined });
  }

  #replace(type: TypeState): void {
    this.#types.set(type.typeUrl, type);
  }

  #wake(at: number): void {
    if (!Number.isFinite(at)) return;
    this.#wakeAt = Math.min(this.#wakeAt ?? Infinity, at);
  }
}

function inOrder(types: ReadonlyMap<string, TypeState>): string[] {
  const known = TYPE_ORDER.filter((url) => types.has(url));
  return known.length === types.size ? known : [...known, ...[...types.keys()].filter((url) => !known.includes(url))];
}

function sameHold(before: Hold | undefined, hold: Hold): Hold {
  const same = before?.waitingFor === hold.waitingFor && before.since === hold.since && before.until === hold.until;
  return same ? before : hold;
}

function shortName(typeUrl: string): string {
  return resourceTypeOf(typeUrl)?.short ?? typeUrl;
}
