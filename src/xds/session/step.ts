import type { CallStatus } from "../call.ts";
import { CDS, hasAllClusters } from "./clusters.ts";
import { cancelled } from "./departures.ts";
import type { XdsRequest } from "./message.ts";
import { receive, type Verdict } from "./receive.ts";
import { rollout } from "./rollout.ts";
import type { Send } from "./send.ts";
import type { Offer, SessionState } from "./state.ts";
import { vanished } from "./vanished.ts";

/** What can happen to a stream. */
export type SessionEvent =
  | { readonly kind: "request"; readonly request: XdsRequest }
  | { readonly kind: "offer"; readonly offer: Offer }
  | { readonly kind: "tick" };

/** What follows from an event. */
export interface Step {
  readonly state: SessionState;
  readonly sends: readonly Send[];
  /** When to step again with a `tick`, if nothing else happens; milliseconds on the caller's clock. */
  readonly wakeAt: number | undefined;
  /** What the client said of an earlier response. */
  readonly verdict: Verdict | undefined;
  /** Set when the stream must end. */
  readonly failure: CallStatus | undefined;
}

const INVALID_ARGUMENT = 3;
const RESOURCE_EXHAUSTED = 8;

/**
 * The session state machine of both protocols: `(state, event, time) → (state, responses)`. It knows no socket and no clock.
 * https://www.envoyproxy.io/docs/envoy/latest/api-docs/xds_protocol
 */
export function step(state: SessionState, event: SessionEvent, now: number): Step {
  if (event.kind === "offer") return rolled(accept(state, event.offer, now), now);
  if (event.kind === "tick") return rolled(state, now);
  if (event.request.typeUrl === "") return failed(state, INVALID_ARGUMENT, "type_url is required");
  const received = receive(state, event.request, now);
  const failure = tooManyUnknown(received.state, event.request.typeUrl);
  if (failure) return failed(received.state, RESOURCE_EXHAUSTED, failure);
  return rolled(received.state, now, received.verdict);
}

/** A newer configuration; names that are wanted again lose their date of departure. */
function accept(state: SessionState, offer: Offer, now: number): SessionState {
  if (state.offer?.serial === offer.serial) return { ...state, offer };
  const departures = cancelled(state.departures, offer.snapshot.types.get(CDS)?.resources);
  const base = state.offer && clustersAcked(state, state.offer) ? state.offer.snapshot : state.base;
  const gone = base && vanished(base, offer.snapshot);
  return { ...state, offer, base, vanished: gone, offeredAt: now, settledAt: undefined, departures };
}

/** Whether the client has all clusters of an offer, so that whatever else the offer said can be used. */
function clustersAcked(state: SessionState, offer: Offer): boolean {
  const clusters = state.types.get(CDS);
  if (!clusters) return true;
  return clusters.inFlight.length === 0 && hasAllClusters(clusters, offer.snapshot, state.protocol);
}

function rolled(state: SessionState, now: number, verdict?: Verdict): Step {
  return { ...rollout(state, now), verdict, failure: undefined };
}

function failed(state: SessionState, code: number, details: string): Step {
  return { state, sends: [], wakeAt: undefined, verdict: undefined, failure: { code, details } };
}

/** A client may ask for any number of things that exist, but memory spent on names of nothing has a bound. */
function tooManyUnknown(state: SessionState, typeUrl: string): string | undefined {
  const wanted = state.types.get(typeUrl)?.subscription;
  const { maxUnknownNames } = state.policy;
  if (!wanted || wanted.names.size <= maxUnknownNames) return undefined;
  const existing = state.offer?.snapshot.types.get(typeUrl)?.resources;
  const unknown = [...wanted.names].filter((name) => !existing?.has(name)).length;
  return unknown > maxUnknownNames
    ? `${unknown} subscribed names of ${typeUrl} name nothing, at most ${maxUnknownNames} may`
    : undefined;
}
