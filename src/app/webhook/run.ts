import { DISCOVERY_SERVICE } from "../../api/operator/mod.ts";
import { systemClock } from "../../base/mod.ts";
import { connect, type KubeConnection, openKubernetesStore, resourceOf } from "../../store/kubernetes/mod.ts";
import { openSignOfLife, SERVED_CERTIFICATE_ANNOTATION } from "../../store/kubernetes/lease/mod.ts";
import type { Logger } from "../../telemetry/mod.ts";
import { processLogger, runUntilTold, type ServerHost, watchedNamespaces } from "../process/mod.ts";
import { leaseNamespaceOf, thisReplica } from "../replica/mod.ts";
import { whyNoNativeSidecars } from "./native_sidecars.ts";
import type { WebhookOptions } from "./options.ts";
import { type OpenStore, startWebhook } from "./webhook.ts";

/** Runs a webhook until it is told to end, and gives the exit status. Throws what keeps it from starting. */
export async function runWebhook(options: WebhookOptions, host: ServerHost): Promise<number> {
  const log = processLogger(options, host);
  const openStore = clusterStore(options, { host, log });
  return await runUntilTold({
    log,
    start: (signal) => startWebhook(options, { host, log, signal, openStore }),
    started: ({ addresses }) => log.info("Ready", { ...addresses }),
  });
}

/** The EnvoyConfigs of a cluster. */
function clusterStore(
  options: WebhookOptions,
  { host, log }: { host: ServerHost; log: Logger },
): OpenStore {
  const { watchNamespace, kubeconfig, context, webhookService: group } = options;
  const self = group === undefined ? undefined : thisReplica(undefined, host);
  const namespaces = watchedNamespaces(watchNamespace);
  return async (metrics) => {
    const connection = await connect({
      ...{ kubeconfig, context, log, metrics },
      env: (name) => host.env(name),
      clock: systemClock,
    });
    const store = openKubernetesStore({
      connection,
      namespaces,
      clock: systemClock,
      random: Math.random,
      log,
      metrics,
      resources: [resourceOf(DISCOVERY_SERVICE)],
    });
    const namespace = leaseNamespaceOf(options, { host, connection });
    const sign = group !== undefined && self !== undefined
      ? openSignOfLife({ connection, namespace, role: "webhook", group, self, clock: systemClock, log })
      : undefined;
    return {
      store,
      ...(sign && { shows: (fingerprint) => sign.tell({ [SERVED_CERTIFICATE_ANNOTATION]: fingerprint }) }),
      noNativeSidecars: () => noNativeSidecars(connection),
      problem: () => store.watches().find(({ problem }) => problem !== undefined)?.problem,
      async [Symbol.asyncDispose]() {
        await sign?.stop();
        await store[Symbol.asyncDispose]();
        await connection[Symbol.asyncDispose]();
      },
    };
  };
}

/** Why the cluster knows no native sidecars. */
async function noNativeSidecars(connection: KubeConnection): Promise<string | undefined> {
  const response = await connection.request("/version", { doing: "read the version of the API server" });
  return whyNoNativeSidecars(await response.json());
}
