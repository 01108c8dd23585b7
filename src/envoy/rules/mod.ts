/**
 * The rules that Envoy's API carries in `validate.rules`.
 * @module
 */
export { checkMessage } from "./check.ts";
