/**
 * EnvoyDeployments and what is made of them.
 * @module
 */
export { envoyDeploymentKind, type EnvoyDeploymentKindOptions } from "./controlled.ts";
