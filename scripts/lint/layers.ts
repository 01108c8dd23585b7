/**
 * The order of the folders, which of them touch the outside world, and where each library lives. Whoever adds a folder, an
 * edge or a library adds it here, with the reason.
 * @module
 */

/** Rank of each folder of `src/`: a folder imports only from folders of a lower rank. */
export const RANKS: Readonly<Record<string, number>> = {
  base: 0,
  telemetry: 1,
  api: 1,
  envoy: 1,
  pki: 2,
  bootstrap: 2,
  inject: 2,
  snapshot: 2,
  store: 3,
  xds: 3,
  agent: 3,
  reconcile: 4,
  webhook: 4,
  dashboard: 4,
  install: 5,
  migrate: 6,
  pods: 6,
  app: 7,
  cli: 8,
};

/** Folders and files of `src/` that may name a clock, a socket, a timer, `Deno` or `node:`, each with what it is the edge to. */
export const EDGES: Readonly<Record<string, string>> = {
  "src/agent": "processes in a pod: signals, files, HTTP",
  "src/app": "composition: everything real is made here",
  "src/base/hash": "node:crypto, because Web Crypto hashes only asynchronously",
  "src/base/system_clock.ts": "the machine's clock",
  "src/cli": "arguments, terminal, exit codes",
  "src/pki/crypto": "node:crypto and Web Crypto: keys, signatures, PEM",
  "src/store/directory/disk": "the manifests on disk",
  "src/store/kubernetes": "the API server",
  "src/store/local": "files and SQLite",
  "src/telemetry/export": "terminal and collectors",
  "src/xds/server": "sockets",
};

/** Where a library may be imported in `src/`; a library that is not listed here may be imported nowhere. */
export const LIBRARY_HOMES: Readonly<Record<string, readonly string[]>> = {
  "@grpc/grpc-js": ["src/xds/server"],
  "@kubernetes/client-node": ["src/store/kubernetes"],
  "@opentelemetry/api": ["src/telemetry"],
  "@peculiar/x509": ["src/pki"],
  "commander": ["src/cli"],
  "diff": ["src/cli"],
  "hono": ["src/app", "src/dashboard"],
  "ipaddr.js": ["src/envoy", "src/pki", "src/snapshot"],
  "js-yaml": ["src/base/yaml"],
  "preact": ["src/dashboard"],
  "prom-client": ["src/telemetry"],
  "protobufjs": ["src/envoy/wire"],
  "re2js": ["src/envoy", "src/snapshot"],
  "reflect-metadata": ["src/pki"],
  "rfc6902": ["src/webhook"],
  "typebox": ["src/api"],
  "uplot": ["src/dashboard"],
  "yaml": ["src/base/yaml"],
};

/** Folder names that say nothing about what is inside. */
export const EMPTY_NAMES: ReadonlySet<string> = new Set(["utils", "util", "common", "helpers", "types", "lib"]);
