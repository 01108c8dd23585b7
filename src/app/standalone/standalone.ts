import { join, resolve } from "node:path";
import { errorMessage, systemClock } from "../../base/mod.ts";
import { formatAddress } from "../../bootstrap/mod.ts";
import type { Logger } from "../../telemetry/mod.ts";
import { type AdminActions, fullApp, readOnlyApp, serveAdmin, serveSocket, SOCKET_NAME } from "../admin/mod.ts";
import type { ServerHost } from "../process/mod.ts";
import { requestRollback } from "../documents/rollback.ts";
import { Overview, type ServedXds, startXds } from "../serving/mod.ts";
import { openCore, type StandaloneCore } from "./core.ts";
import { type StandaloneDirectory, startDirectory } from "./directory.ts";
import type { StandaloneOptions } from "./options.ts";
import { xdsSecurity } from "./xds_security.ts";

/** A standalone that serves. */
export interface RunningStandalone extends AsyncDisposable, AdminActions {
  /** Where the admin interface and the xDS server listen. */
  readonly addresses: { readonly admin: string; readonly xds: string };
  /** Number of node ids that are served. */
  readonly nodes: number;
}

/**
 * Puts a standalone together: first what the store holds, then the directory, and last the xDS server, so that no Envoy is told
 * of a state that is still being loaded (rule 9). Disposing ends the parts in the opposite order. Throws what keeps it from
 * starting.
 */
export async function startStandalone(
  options: StandaloneOptions,
  { host, log, signal }: { host: ServerHost; log: Logger; signal: AbortSignal },
): Promise<RunningStandalone> {
  const security = xdsSecurity(options);
  await using parts = new AsyncDisposableStack();
  const clock = systemClock;
  const data = resolve(options.data);
  const opened = parts.use(openCore({ options, data, clock, log }));
  const { core, store } = opened;
  const late: LateParts = {};
  const overview = overviewOf(opened, { options, host, late });
  const admin = await serveAdmin(readOnlyApp(overview, { allowedHosts: options.adminHost }), options.adminBind);
  parts.defer(() => admin.close());

  overview.pending = "the store is being loaded";
  await core.start();
  await core.startMesh();

  overview.pending = "the directory is being read";
  const { registry, findings, prometheus: { metrics } } = core;
  const onScan = () => core.reportSoon();
  const directory = await startDirectory({ options, store, registry, clock, findings, log, metrics, onScan });
  parts.defer(() => directory.close());
  late.directory = directory;
  core.locate = directory.locate;
  await core.idle();
  core.report();
  signal.throwIfAborted();

  const { xdsBind: bind, drainTimeout } = options;
  const xds = await startXds({ bind, drainTimeout, security, hub: core.hub, clock, findings, log, metrics });
  parts.defer(() => xds.close());
  late.xds = xds;
  const actions: AdminActions = {
    rescan: async () => {
      await directory.rescan();
      await core.idle();
      core.report();
    },
    backup: (path) => store.backup(path),
    rollback: (request) => requestRollback(store, request, clock.now()),
  };
  parts.use(serveControl(overview, { actions, socket: join(data, SOCKET_NAME), log }));

  opened.opinions?.start();
  overview.pending = undefined;
  parts.defer(() => void (overview.pending = "shutting down"));
  const running = parts.move();
  return {
    ...actions,
    addresses: { admin: formatAddress(admin.address), xds: xds.address },
    get nodes() {
      return core.nodes;
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** What comes into being while the admin interface answers already. */
interface LateParts {
  directory?: StandaloneDirectory;
  xds?: ServedXds;
}

function overviewOf(
  { core, store }: StandaloneCore,
  { options, host, late }: { options: StandaloneOptions; host: ServerHost; late: LateParts },
): Overview {
  const config = () => late.directory?.status() ?? { dir: options.config, files: 0, objects: 0, skipped: {} };
  return new Overview({
    version: host.version,
    envoyApi: host.envoyApi,
    startedAt: new Date(),
    core,
    objects: store,
    storeTrouble: () => store.trouble,
    xds: () => late.xds?.status() ?? {},
    role: () => ({ config: config() }),
    collect(metrics) {
      const { objects, skipped } = config();
      metrics.set("chancery_directory_objects", {}, objects);
      for (const [kind, count] of Object.entries(skipped)) metrics.set("chancery_directory_skipped", { kind }, count);
    },
  });
}

/** The socket for changes. Paths of sockets are short: a long data directory costs the socket, not the service. */
function serveControl(
  overview: Overview,
  { actions, socket, log }: { actions: AdminActions; socket: string; log: Logger },
): AsyncDisposable {
  try {
    const control = serveSocket(fullApp(overview, actions), socket);
    return { [Symbol.asyncDispose]: () => control.close() };
  } catch (thrown) {
    log.warn("Cannot offer the admin socket", { socket, error: errorMessage(thrown) });
    return { [Symbol.asyncDispose]: () => Promise.resolve() };
  }
}
