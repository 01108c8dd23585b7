/**
 * The rules that Envoy's API carries in `validate.rules`, as Envoy checks them: generated there by protoc-gen-validate's
 * C++ templates, which is why patterns match the whole value.
 * @module
 */
export { checkMessage } from "./check.ts";
export { rulesOf, skipsRules } from "./compile.ts";
export { compileRe2 } from "./re2.ts";
