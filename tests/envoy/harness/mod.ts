/**
 * A real Envoy, upstreams behind it and clients before it, for tests. Everything runs on the loopback, in temporary folders
 * and on free ports, and is gone when its scope ends (`await using`).
 * @module
 */
export { type EnvoyOptions, RunningEnvoy, startEnvoy } from "./envoy.ts";
export { eventually, Hopeless } from "./eventually.ts";
export { freePort } from "./free_port.ts";
export { ConnectionLost, HttpConnection, httpGet, type HttpResponse, type HttpTarget } from "./http_connection.ts";
export { Load, type LoadOptions, type LoadReport, startLoad } from "./load.ts";
export { type ProcessOptions, RunningProcess, startProcess } from "./process.ts";
export { ProcessSeries } from "./process_series.ts";
export { startUpstream, Upstream } from "./upstream.ts";
export * from "./manifest.ts";
export { type Manifest, RunningStandalone, startStandalone } from "./standalone.ts";
export { eachLink, type Link, LINKS, startWorld, World, type WorldOptions } from "./world.ts";
