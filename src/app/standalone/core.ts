import type { Clock } from "../../base/mod.ts";
import { envoyRegistry } from "../../envoy/mod.ts";
import { type LocalStore, openLocalStore } from "../../store/local/mod.ts";
import type { Logger } from "../../telemetry/mod.ts";
import { Core } from "../serving/mod.ts";
import { openEnvoyOpinion } from "./envoy_opinion.ts";
import { EnvoyOpinions } from "./envoy_opinions.ts";
import type { StandaloneOptions } from "./options.ts";
import { storeFindings } from "./store_findings.ts";

/** Options of {@linkcode openCore}. */
export interface StandaloneCoreOptions {
  readonly options: Pick<StandaloneOptions, "onDelete" | "removalDelay" | "withEnvoy">;
  /** Absolute path of the data directory. */
  readonly data: string;
  readonly clock: Clock;
  readonly log: Logger;
}

/** The way from the store of a standalone to the streams. */
export interface StandaloneCore extends AsyncDisposable {
  readonly store: LocalStore;
  readonly core: Core;
  /** What a real Envoy says, if one is to be asked. */
  readonly opinions: EnvoyOpinions | undefined;
}

/** Takes the data directory; throws `unavailable` when it cannot be used. */
export function openCore({ options, data, clock, log }: StandaloneCoreOptions): StandaloneCore {
  const { onDelete, removalDelay, withEnvoy: envoy } = options;
  const store = openLocalStore({ directory: data, clock });
  const registry = envoyRegistry();
  const opinions = envoy === undefined ? undefined : new EnvoyOpinions({
    registry,
    store,
    sources: (namespace) => core.controller.sources(namespace),
    clock,
    envoy,
    open: (envoy, signal) => openEnvoyOpinion(envoy, { registry, data, signal }),
    onChange: () => core.reportSoon(),
  });
  const core: Core = new Core({
    store,
    shelf: store,
    replica: { name: "standalone", bootId: crypto.randomUUID() },
    onDelete,
    removalDelay,
    trust: { metadata: true, labels: true },
    clock,
    log,
    alsoFound: (locate) => ({
      envoy: opinions?.findings(locate) ?? [],
      store: storeFindings(store.trouble, data),
    }),
    onReport: (nodeId, report) => opinions?.looked(nodeId, report),
  });
  return {
    store,
    core,
    opinions,
    async [Symbol.asyncDispose]() {
      await core[Symbol.asyncDispose]();
      await opinions?.[Symbol.asyncDispose]();
      await store.close();
    },
  };
}
