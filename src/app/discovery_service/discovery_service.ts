import { ENVOY_CONFIG, ENVOY_CONFIG_REVISION } from "../../api/mod.ts";
import { VIRTUAL_SERVICE } from "../../api/virtual_service/mod.ts";
import { systemClock } from "../../base/mod.ts";
import { formatAddress } from "../../bootstrap/mod.ts";
import { bundleName } from "../../pki/mod.ts";
import { connect, openKubernetesStore, resourceOf } from "../../store/kubernetes/mod.ts";
import {
  type Candidate,
  type Leases,
  openLeases,
  TRUST_BUNDLE_ANNOTATION,
  writeTimeoutOf,
} from "../../store/kubernetes/lease/mod.ts";
import type { Logger } from "../../telemetry/mod.ts";
import { prometheusMetrics } from "../../telemetry/export/mod.ts";
import { readOnlyApp, serveAdmin } from "../admin/mod.ts";
import type { ObjectReader } from "../documents/mod.ts";
import { tellOutdatedKinds } from "../outdated_kinds/mod.ts";
import { serveProcess, type ServerHost, watchedNamespaces } from "../process/mod.ts";
import { leaseNamespaceOf, leaseTimesOf, thisReplica } from "../replica/mod.ts";
import { Core, Overview, type ServedXds, startXds } from "../serving/mod.ts";
import { CatchingUp } from "./catching_up.ts";
import { clientRights } from "./client_rights.ts";
import { ClusterView } from "./cluster_view.ts";
import { freshHandler } from "./fresh_handler.ts";
import { nodeRefusal } from "./node_right.ts";
import type { DiscoveryServiceOptions } from "./options.ts";
import { StandStill } from "./stand_still.ts";
import { tlsPaths } from "./tls_directories.ts";
import { VirtualServices } from "./virtual_services.ts";
import { watchedObjects } from "./watched_objects.ts";

/** Node ids that are looked at at a time: each look waits for the API server a few times, which is what a first start takes. */
const CONCURRENCY = 24;

/** A discovery service that serves. */
export interface RunningDiscoveryService extends AsyncDisposable {
  /** Where it listens. */
  readonly addresses: {
    readonly xds: string;
    readonly metrics?: string;
    readonly probes?: string;
    readonly admin?: string;
  };
  /** Number of node ids that are served. */
  readonly nodes: number;
  readonly replica: Candidate;
}

/**
 * Puts a replica together: what looks after it first, then everything that the API server knows, and last the xDS server, so that
 * no Envoy is told of a state that is still being loaded (rule 9). Disposing first lets another lead, then ends the streams, and
 * takes the sign of life away when they are gone. Throws what keeps it from starting.
 */
export async function startDiscoveryService(
  options: DiscoveryServiceOptions,
  { host, log, signal }: { host: ServerHost; log: Logger; signal: AbortSignal },
): Promise<RunningDiscoveryService> {
  const clock = systemClock;
  const namespaces = watchedNamespaces(options.watchNamespace);
  const times = leaseTimesOf(options);
  const self = thisReplica(options.replicaName, host);
  const security = options.insecureXds
    ? undefined
    : await tlsPaths({ server: options.serverCertificatePath, ca: options.caCertificatePath });
  const late: LateParts = {};
  await using parts = new AsyncDisposableStack();
  const prometheus = prometheusMetrics();
  const { metrics } = prometheus;
  const { nodeIdFromCertificate: asksForNames, clientAuthorization, clientAuthorizationWarn } = options;
  const rights = clientRights({
    ...{ wanted: clientAuthorization, warnOnly: clientAuthorizationWarn },
    ...{ namespaces, log, metrics },
  });
  const { kubeconfig, context } = options;
  const connection = parts.use(
    await connect({ ...{ kubeconfig, context, clock, log, metrics }, env: (name) => host.env(name) }),
  );
  // Nothing waits for it: it is for those who read the log.
  void tellOutdatedKinds([ENVOY_CONFIG, ENVOY_CONFIG_REVISION, VIRTUAL_SERVICE], { connection, log });
  const store = parts.use(
    openKubernetesStore({
      connection,
      namespaces,
      clock,
      random: Math.random,
      log,
      metrics,
      component: "discovery-service",
      instance: self.name,
      resources: [resourceOf(VIRTUAL_SERVICE)],
      writeTimeoutMs: writeTimeoutOf(times),
    }),
  );
  parts.defer(() => late.leases?.stop());
  const core = parts.use(
    new Core({
      store,
      prometheus,
      replica: self,
      replicas: { live: () => late.leases?.live() ?? new Map([[self.name, self.bootId]]) },
      leadership: { leading: () => late.leases?.leading() ?? false },
      concurrency: CONCURRENCY,
      onDelete: options.onDelete,
      removalDelay: options.removalDelay,
      // Where a certificate is good for one node id, nothing else that a client says of itself counts.
      trust: { metadata: !asksForNames && clientAuthorization !== "NodeID", labels: false },
      clock,
      log,
      authorize: (node, call) => (asksForNames && nodeRefusal(node, call.peer)) || rights(node, call),
    }),
  );
  const leaseNamespace = leaseNamespaceOf(options, { host, connection });
  const view = new ClusterView({
    connection,
    store,
    namespaces,
    self,
    lease: `${leaseNamespace}/${options.leaseName}`,
    leases: () => late.leases,
    catchingUp: () => late.catchingUp,
  });
  const overview = overviewOf(core, { objects: watchedObjects(store, namespaces), view, host, late });
  const servers = parts.use(
    await serveProcess({
      missing: () => overview.ready ? [] : overview.status().details,
      metrics: () => overview.metrics(),
    }, options),
  );
  const admin = options.adminBind &&
    await serveAdmin(readOnlyApp(overview, { allowedHosts: options.adminHost }), options.adminBind);
  if (admin) parts.defer(() => admin.close());

  overview.pending = "the API server is being asked";
  const leases = late.leases = openLeases({
    connection,
    namespace: leaseNamespace,
    name: options.leaseName,
    role: "discovery-service",
    self,
    times,
    clock,
    random: Math.random,
    log,
    onLeadership: () => core.leadershipChanged(),
    onReplicas: () => core.replicasChanged(),
  });
  await unless(signal, leases.start());
  if (!options.virtualServicesOnly) await unless(signal, core.start());
  const mesh = parts.use(
    new VirtualServices({ connection, namespaces, start: () => core.startMesh(), clock, log }),
  );
  await unless(signal, mesh.begin());
  core.locate = () => undefined; // objects of a cluster come from no file
  core.report();

  const catchingUp = late.catchingUp = parts.use(
    new CatchingUp({
      hub: core.hub,
      caughtUp: (signal) => store.caughtUp(signal),
      idle: () => core.idle(),
      clock,
      log,
    }),
  );
  const still = parts.use(new StandStill({ clock, onWake: (ms) => catchingUp.woke(ms) }));
  const xds = late.xds = await startXds({
    bind: { kind: "tcp", host: options.xdssHost ?? "", port: options.xdssPort },
    drainTimeout: options.drainTimeout,
    security,
    hub: core.hub,
    handler: freshHandler(core.hub, () => still.look()),
    // it tells everybody the node ids of all
    clientStatus: !asksForNames && (clientAuthorization === "Off" || clientAuthorizationWarn),
    // A change of the authority goes on once every replica trusts the next one.
    onTrust: (fingerprints) => void leases.tell({ [TRUST_BUNDLE_ANNOTATION]: bundleName(fingerprints) }),
    clock,
    findings: core.findings,
    log,
    metrics,
  });
  parts.defer(async () => {
    overview.pending = "shutting down";
    xds.setServing(false);
    await Promise.all([leases.resign(), xds.close()]);
  });
  overview.pending = undefined;
  const running = parts.move();
  return {
    addresses: { xds: xds.address, ...servers.addresses, ...(admin && { admin: formatAddress(admin.address) }) },
    get nodes() {
      return core.nodes;
    },
    replica: self,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** What comes into being while probes are answered already. */
interface LateParts {
  leases?: Leases;
  catchingUp?: CatchingUp;
  xds?: ServedXds;
}

function overviewOf(
  core: Core,
  { objects, view, host, late }: {
    objects: ObjectReader;
    view: ClusterView;
    host: ServerHost;
    late: LateParts;
  },
): Overview {
  return new Overview({
    version: host.version,
    envoyApi: host.envoyApi,
    startedAt: new Date(),
    core,
    objects,
    storeTrouble: () => view.problems().join("; ") || undefined,
    silence: () => view.silence(),
    xds: () => late.xds?.status() ?? {},
    role: () => ({ cluster: view.status() }),
    collect: (metrics) => view.collect(metrics),
  });
}

/** The same promise, unless the process is told to end before: what then becomes of it is nobody's business any more. */
function unless<T>(signal: AbortSignal, promise: Promise<T>): Promise<T> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
