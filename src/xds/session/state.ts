import type { Snapshot } from "../../snapshot/mod.ts";
import type { Subscription } from "../subscription.ts";
import type { View } from "../view.ts";

/** How a session paces and orders what it sends. Times in milliseconds. */
export interface SessionPolicy {
  /** Order changes so that no request meets a gap; without it a snapshot is sent as given, all types at once. */
  readonly makeBeforeBreak: boolean;
  /** After this time an unacknowledged push may be superseded by a newer one. */
  readonly supersedeAfterMs: number;
  /** How many pushes of one type may be unacknowledged at once. */
  readonly maxInFlight: number;
  /** How long listeners wait for clusters, and routes for listeners, at the most. */
  readonly holdMs: number;
  /** How long the answer to a new subscription waits for the clusters and listeners it may refer to, at the most. */
  readonly answerHoldMs: number;
  /** How long clusters stay after nothing refers to them: listeners drain, and kept-alive connections still use them. */
  readonly removalDelayMs: number;
  /** How many subscribed names of one type may name nothing; more end the stream. */
  readonly maxUnknownNames: number;
  /** Delays between tries of a refused response when its cause may lie outside the configuration. */
  readonly retry: { readonly baseMs: number; readonly maxMs: number };
}

/** Rules 3, 4 and 7 of the design: two seconds, three pushes, five seconds, a minute. */
export const DEFAULT_POLICY: SessionPolicy = {
  makeBeforeBreak: true,
  supersedeAfterMs: 2_000,
  maxInFlight: 3,
  holdMs: 5_000,
  answerHoldMs: 1_000,
  removalDelayMs: 60_000,
  maxUnknownNames: 4_096,
  retry: { baseMs: 30_000, maxMs: 600_000 },
};

/** A configuration as the session gets it. */
export interface Offer {
  /** Grows with every snapshot of the node; the same number means the same snapshot. */
  readonly serial: number;
  readonly snapshot: Snapshot;
  /** Whether a refused response is tried again, because nothing better is left to serve. */
  readonly retryRefused: boolean;
}

/** A response that was sent and neither accepted nor refused. */
export interface InFlight {
  readonly nonce: string;
  /** A push was the server's idea; an answer was asked for. Only pushes wait for one another. */
  readonly push: boolean;
  readonly sentAt: number;
  readonly serial: number;
  readonly revision: string;
  readonly version: string;
  /** Everything named in it, removed names included. */
  readonly names: readonly string[];
  /** What the client held before: a refused resource leaves that in place. */
  readonly before: View;
}

/** What the client said last about a response it would not take. */
export interface Refusal {
  readonly serial: number;
  readonly revision: string;
  readonly version: string;
  /** In the client's words. */
  readonly message: string;
  readonly at: number;
  /** Refusals in a row. */
  readonly attempts: number;
  /** The latest response when the refusal came. */
  readonly lastNonce: string;
  /** Whether all that can be to blame comes from Secrets and endpoints: then the spec is innocent (W15). */
  readonly dataOnly: boolean;
}

/** Names that nothing refers to any more, and when they may go. */
export interface Departure {
  readonly names: readonly string[];
  readonly at: number;
}

/** Why something is not being sent, for `/status`. */
export interface Hold {
  /** "CDS to be acknowledged", "removal delay", … */
  readonly waitingFor: string;
  readonly since: number;
  readonly until: number;
}

/** One type on one stream. */
export interface TypeState {
  readonly typeUrl: string;
  readonly subscription: Subscription;
  /** What the client holds if it applied everything that was sent. */
  readonly held: View;
  readonly inFlight: readonly InFlight[];
  readonly lastNonce: string;
  /** Names that wait for an answer; `everything` for the first request of the type. */
  readonly unanswered: Subscription | "everything" | undefined;
  /** Since when something waits for an answer. */
  readonly askedAt: number;
  /** Whether the first request said that the client comes with a configuration from an earlier stream. */
  readonly resumed: boolean;
  readonly sent:
    | { readonly version: string; readonly serial: number; readonly revision: string; readonly at: number }
    | undefined;
  readonly acked:
    | { readonly version: string; readonly serial: number; readonly revision: string; readonly at: number }
    | undefined;
  readonly refused: Refusal | undefined;
  readonly hold: Hold | undefined;
}

/** Everything that is known about one stream. Immutable. */
export interface SessionState {
  readonly protocol: "sotw" | "delta";
  readonly policy: SessionPolicy;
  /** When the stream's current offer arrived. */
  readonly offeredAt: number;
  readonly offer: Offer | undefined;
  /** The last offer before this one whose clusters the client has acknowledged; forgotten once this one has settled. */
  readonly base: Snapshot | undefined;
  /** What {@linkcode base} had by name and this offer has not; still answered until everything has settled. */
  readonly vanished: Snapshot | undefined;
  /** In the order in which types were first asked for. */
  readonly types: ReadonlyMap<string, TypeState>;
  readonly nonces: number;
  /** When everything but removals of the current offer was acknowledged. */
  readonly settledAt: number | undefined;
  readonly departures: readonly Departure[];
}

/** A stream that has not asked for anything. */
export function newSession(protocol: "sotw" | "delta", policy: SessionPolicy = DEFAULT_POLICY): SessionState {
  return {
    protocol,
    policy,
    offeredAt: 0,
    offer: undefined,
    base: undefined,
    vanished: undefined,
    types: new Map(),
    nonces: 0,
    settledAt: undefined,
    departures: [],
  };
}

/** A copy with one type replaced. */
export function withType(state: SessionState, type: TypeState): SessionState {
  const types = new Map(state.types);
  types.set(type.typeUrl, type);
  return { ...state, types };
}
