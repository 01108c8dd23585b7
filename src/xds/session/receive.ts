import { resourceTypeOf } from "../../envoy/mod.ts";
import { changedSubscription, statedSubscription, type Subscription, subscription } from "../subscription.ts";
import { ask, claimed, difference, doubt, EMPTY_VIEW, rewarm, type View, without } from "../view.ts";
import type { XdsRequest } from "./message.ts";
import { desiredView } from "./desired.ts";
import { type InFlight, type Refusal, type SessionState, type TypeState, withType } from "./state.ts";

/** What a request said about an earlier response. */
export interface Verdict {
  readonly typeUrl: string;
  readonly accepted: boolean;
  readonly response: InFlight;
  /** In the client's words; empty when accepted. */
  readonly message: string;
}

/** The state after a request, before anything is sent. */
export interface Received {
  readonly state: SessionState;
  readonly verdict: Verdict | undefined;
}

/**
 * Takes in one request: what it acknowledges or refuses, and what it subscribes to. A state-of-the-world request whose nonce
 * belongs to no recent response is stale and ignored; a delta request's (un)subscriptions always count.
 * https://www.envoyproxy.io/docs/envoy/latest/api-docs/xds_protocol#ack-and-nack-semantics-summary
 */
export function receive(state: SessionState, request: XdsRequest, now: number): Received {
  const current = state.types.get(request.typeUrl);
  if (!current) return { state: begun(state, firstAsked(state, request, now)), verdict: undefined };
  const stale = request.nonce !== "" && request.nonce !== current.lastNonce &&
    !current.inFlight.some((response) => response.nonce === request.nonce);
  if (stale && state.protocol === "sotw") return { state, verdict: undefined };
  const { type, verdict } = settle(state, current, request, now);
  const asked = state.protocol === "sotw" ? restate(type, request) : amend(type, request);
  const since = type.unanswered === undefined ? now : type.askedAt;
  return { state: withType(state, asked.unanswered === undefined ? asked : { ...asked, askedAt: since }), verdict };
}

/**
 * A type is asked for. What a client brought along may need the clusters of its earlier configuration: whatever was settled
 * without it was not.
 */
function begun(state: SessionState, type: TypeState): SessionState {
  const after = withType(state, type);
  return type.resumed ? { ...after, settledAt: undefined, departures: [] } : after;
}

function firstAsked(state: SessionState, request: XdsRequest, now: number): TypeState {
  const delta = state.protocol === "delta";
  const legacyWildcard = resourceTypeOf(request.typeUrl)?.legacyWildcard ?? true;
  const wanted = delta
    ? changedSubscription(undefined, request, legacyWildcard)
    : statedSubscription(undefined, request.names, legacyWildcard);
  const expected = state.offer
    ? desiredView(state.offer.snapshot, { ...state, typeUrl: request.typeUrl, subscription: wanted })
    : EMPTY_VIEW;
  const brought = delta && request.initialVersions.size > 0 ? broughtAlong(state, request, expected) : EMPTY_VIEW;
  return {
    typeUrl: request.typeUrl,
    subscription: wanted,
    held: askUnknown(brought, wanted),
    inFlight: [],
    lastNonce: "",
    unanswered: "everything",
    askedAt: now,
    resumed: request.initialVersions.size > 0 || request.version !== "",
    sent: undefined,
    acked: undefined,
    refused: undefined,
    hold: undefined,
  };
}

/**
 * What a client holds from an earlier stream. Not the endpoints of clusters it was sent on this stream and is still warming:
 * it waits for them although it has them.
 */
function broughtAlong(state: SessionState, request: XdsRequest, expected: View): View {
  const brought = claimed(request.initialVersions, expected);
  if (resourceTypeOf(request.typeUrl)?.short !== "EDS") return brought;
  let view = brought;
  for (const clusters of state.types.values()) {
    if (resourceTypeOf(clusters.typeUrl)?.short !== "CDS") continue;
    for (const response of clusters.inFlight) {
      const change = difference(without(clusters.held, subscription(false, new Set(response.names))), clusters.held);
      view = rewarm(view, change);
    }
  }
  return view;
}

/** Names that the client did not bring along: each gets an answer, even when nothing of that name exists. */
function askUnknown(held: View, wanted: Subscription): View {
  const unknown = [...wanted.names].filter((name) => !held.entries.has(name));
  return unknown.length === wanted.names.size ? ask(held, wanted) : ask(held, subscription(false, new Set(unknown)));
}

/** Delta: one nonce, one response. State of the world: a verdict covers the responses before it as well. */
function settle(
  state: SessionState,
  type: TypeState,
  request: XdsRequest,
  now: number,
): { type: TypeState; verdict: Verdict | undefined } {
  const at = type.inFlight.findIndex((response) => response.nonce === request.nonce);
  const response = type.inFlight[at];
  if (!response) return { type, verdict: undefined };
  const later = type.inFlight.slice(at + 1);
  const inFlight = state.protocol === "sotw" ? later : type.inFlight.filter((other) => other !== response);
  const { typeUrl } = type;
  if (request.error === undefined) {
    const { version, serial, revision } = response;
    const cured = type.refused && cures(response, type.refused) ? undefined : type.refused;
    return {
      type: { ...type, inFlight, acked: { version, serial, revision, at: now }, refused: cured },
      verdict: { typeUrl, accepted: true, response, message: "" },
    };
  }
  const { message } = request.error;
  const attempts = type.refused?.serial === response.serial ? type.refused.attempts + 1 : 1;
  const { serial, revision, version } = response;
  const after = {
    ...type,
    held: unsure(type.held, response, { message, except: new Set(later.flatMap((other) => other.names)) }),
    inFlight: inFlight.map((other) =>
      later.includes(other) ? { ...other, before: unsure(other.before, response, { message, except: NONE }) } : other
    ),
    refused: {
      serial,
      revision,
      version,
      message,
      at: now,
      attempts,
      lastNonce: type.lastNonce,
      dataOnly: dataOnly(type.held, response, message),
    },
  };
  return { type: after, verdict: { typeUrl, accepted: false, response, message } };
}

const NONE: ReadonlySet<string> = new Set();

/**
 * A refusal is partial: Envoy keeps the old resource where it names one, and has applied the rest. Nothing of the response is
 * certain any more; what later responses carry again is for them to settle.
 */
function unsure(view: View, response: InFlight, how: { message: string; except: ReadonlySet<string> }): View {
  const names = how.except.size === 0 ? response.names : response.names.filter((name) => !how.except.has(name));
  const blamed = names.filter((name) => how.message.includes(name));
  const rest = blamed.length === 0 ? names : names.filter((name) => !how.message.includes(name));
  return doubt(doubt(view, view, rest), response.before, blamed);
}

/**
 * Whether a refusal is owed to data outside the spec: every resource that the client names, or else every one that was new in
 * the response, was made from a Secret or from EndpointSlices.
 */
function dataOnly(held: View, response: InFlight, message: string): boolean {
  const news = response.names.filter((name) => {
    const now = held.entries.get(name);
    return now !== undefined && now.version !== response.before.entries.get(name)?.version;
  });
  const named = news.filter((name) => name !== "" && message.includes(name));
  const blamed = named.length > 0 ? named : news;
  return blamed.length > 0 && blamed.every((name) => held.entries.get(name)?.resource?.external === true);
}

/** Only what was pushed after a refusal carries the refused again; answers and earlier pushes say nothing about it. */
function cures(response: InFlight, refused: Refusal): boolean {
  return response.serial > refused.serial || (response.push && response.nonce > refused.lastNonce);
}

function restate(type: TypeState, request: XdsRequest): TypeState {
  const legacyWildcard = resourceTypeOf(type.typeUrl)?.legacyWildcard ?? true;
  const wanted = statedSubscription(type.subscription, request.names, legacyWildcard);
  if (wanted === type.subscription) return type;
  const dropped = [...type.subscription.names].filter((name) => !wanted.names.has(name));
  const added = [...wanted.names].filter((name) => !type.subscription.names.has(name));
  return resubscribe(type, wanted, new Set(added), new Set(wanted.wildcard ? [] : dropped));
}

/**
 * Every name in `resource_names_subscribe` is answered, even one the client should have; and so is a name that is
 * unsubscribed while the wildcard stays, because the client may forget it.
 */
function amend(type: TypeState, request: XdsRequest): TypeState {
  if (request.subscribe.length === 0 && request.unsubscribe.length === 0) return type;
  const wanted = changedSubscription(type.subscription, request, false);
  const named = wanted.wildcard ? [...request.subscribe, ...request.unsubscribe] : request.subscribe;
  const added = new Set(named.filter((name) => name !== "*"));
  const dropped = new Set(wanted.wildcard ? [] : request.unsubscribe.filter((name) => !added.has(name)));
  return resubscribe(type, wanted, added, dropped);
}

function resubscribe(type: TypeState, wanted: Subscription, added: Set<string>, dropped: Set<string>): TypeState {
  const becomesWildcard = wanted.wildcard && !type.subscription.wildcard;
  const losesWildcard = !wanted.wildcard && type.subscription.wildcard;
  let held = without(type.held, subscription(false, dropped));
  if (losesWildcard) {
    held = without(
      held,
      subscription(false, new Set([...held.entries.keys()].filter((name) => !wanted.names.has(name)))),
    );
  }
  const news = subscription(false, added);
  held = ask(held, news);
  return {
    ...type,
    subscription: wanted,
    held,
    unanswered: becomesWildcard ? "everything" : joined(type.unanswered, news),
  };
}

function joined(before: TypeState["unanswered"], news: Subscription): TypeState["unanswered"] {
  if (before === "everything" || news.names.size === 0) return before;
  return before === undefined ? news : subscription(false, before.names.union(news.names));
}
