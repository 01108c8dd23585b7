import { systemClock } from "../../base/mod.ts";
import { connect, openKubernetesStore } from "../../store/kubernetes/mod.ts";
import type { Logger } from "../../telemetry/mod.ts";
import { processLogger, runUntilTold, type ServerHost, watchedNamespaces } from "../process/mod.ts";
import type { WebhookOptions } from "./options.ts";
import { type OpenStore, startWebhook } from "./webhook.ts";

/** Runs a webhook until it is told to end, and gives the exit status. Throws what keeps it from starting. */
export async function runWebhook(options: WebhookOptions, host: ServerHost): Promise<number> {
  const { debug, logFormat } = options;
  const log = processLogger(
    debug ? { logLevel: "debug", logFormat: logFormat === "auto" ? "console" : logFormat } : options,
    host,
  );
  const openStore = clusterStore(options, { host, log });
  return await runUntilTold({
    log,
    start: (signal) => startWebhook(options, { host, log, signal, openStore }),
    started: ({ addresses }) => log.info("Ready", { ...addresses }),
  });
}

/** The EnvoyConfigs of a cluster. */
function clusterStore(
  { watchNamespace, kubeconfig, context }: WebhookOptions,
  { host, log }: { host: ServerHost; log: Logger },
): OpenStore {
  const namespaces = watchedNamespaces(watchNamespace);
  return async (metrics) => {
    const connection = await connect({
      env: (name) => host.env(name),
      ...(kubeconfig !== undefined && { kubeconfig }),
      ...(context !== undefined && { context }),
      clock: systemClock,
      log,
      metrics,
    });
    log.info("Using the API server", { server: connection.server, source: connection.source });
    const store = openKubernetesStore({
      connection,
      namespaces,
      clock: systemClock,
      random: Math.random,
      log,
      metrics,
    });
    return {
      store,
      problem: () => store.watches().find(({ problem }) => problem !== undefined)?.problem,
      async [Symbol.asyncDispose]() {
        await store[Symbol.asyncDispose]();
        await connection[Symbol.asyncDispose]();
      },
    };
  };
}
