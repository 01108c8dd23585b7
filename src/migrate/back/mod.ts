/**
 * The way back to MARIN3R: what its operator would not find as it expects it. Pure: objects in, remarks out.
 * @module
 */
export { EARLIER_KINDS, type EarlierSchema } from "./earlier_specs.ts";
export { planReturn, RETURN_KINDS } from "./plan_return.ts";
