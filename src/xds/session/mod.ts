/**
 * The session state machines: one stream of either protocol as a value. No sockets, no clock.
 * @module
 */
export type { XdsRequest } from "./message.ts";
export type { Verdict } from "./receive.ts";
export type { Send } from "./send.ts";
export {
  DEFAULT_POLICY,
  type Hold,
  newSession,
  type Offer,
  type Refusal,
  type SessionPolicy,
  type SessionState,
  type TypeState,
} from "./state.ts";
export { type SessionEvent, type Step, step } from "./step.ts";
