import { join } from "node:path";
import { ChanceryError, systemClock } from "../../base/mod.ts";
import { envoyRegistry } from "../../envoy/mod.ts";
import { discoveryIn, type Injection, injectPod } from "../../inject/mod.ts";
import type { Store } from "../../store/mod.ts";
import type { Logger, Metrics } from "../../telemetry/mod.ts";
import { type PrometheusMetrics, prometheusMetrics } from "../../telemetry/export/mod.ts";
import {
  type AdmissionRequest,
  envoyConfigReviewer,
  podReviewer,
  type VerdictReason,
  virtualServiceReviewer,
} from "../../webhook/mod.ts";
import { type DiscoveryServiceIndex, watchDiscoveryServices } from "./discovery_service_index.ts";
import { type ProbeSource, serveProcess, type ServerHost } from "../process/mod.ts";
import { Admission } from "./admission.ts";
import type { ServerMaterial } from "../../xds/server/tls/mod.ts";
import { type CertificateOptions, fingerprintOf, firstCertificate, followCertificate } from "./certificate.ts";
import { serveHttps } from "./https_server.ts";
import { type NodeIdIndex, watchNodeIds } from "./node_id_index.ts";
import { Missing } from "./missing.ts";
import type { WebhookOptions } from "./options.ts";

/** A webhook that answers. */
export interface RunningWebhook extends AsyncDisposable {
  readonly addresses: { readonly webhook: string; readonly metrics?: string; readonly probes?: string };
}

/** What a webhook needs besides its options. */
export interface WebhookParts {
  readonly host: Pick<ServerHost, "version" | "envoyApi">;
  readonly log: Logger;
  readonly signal: AbortSignal;
  readonly openStore: OpenStore;
}

/** Opens the store that has the EnvoyConfigs. */
export type OpenStore = (metrics: Metrics) => Promise<OpenedStore>;

/** A store that is closed with the webhook. */
export interface OpenedStore extends AsyncDisposable {
  readonly store: Store;
  /** Why it cannot be read at the moment. */
  problem(): string | undefined;
  /** Tells others which certificate this replica shows; never rejects. Absent where nobody wants to know. */
  shows?(fingerprint: string): Promise<void>;
  /** Why its cluster knows no native sidecars; absent or `undefined` where it does. */
  noNativeSidecars?(): Promise<string | undefined>;
}

/** How long the end waits for what is being answered. */
const DRAIN_MS = 10_000;

/**
 * Puts a webhook together: probes at once; then the list of EnvoyConfigs and the certificate, whichever comes first; then the
 * port, so that nobody is answered from half of what there is. Throws what keeps it from starting.
 */
export async function startWebhook(options: WebhookOptions, parts: WebhookParts): Promise<RunningWebhook> {
  const { log, signal, host } = parts;
  if (options.webhookPort > 65_535) {
    throw new ChanceryError(
      "invalid-input",
      `Cannot serve the webhook on port ${options.webhookPort}: a port is 1 to 65535`,
    );
  }
  const clock = systemClock;
  const prometheus = prometheusMetrics();
  const missing = new Missing();
  await using stack = new AsyncDisposableStack();
  const { metrics } = prometheus;
  const { addresses } = stack.use(
    await serveProcess(probeSource({ prometheus, missing, host, now: clock.now() }), options),
  );
  const ending = new AbortController();
  stack.defer(() => ending.abort());
  const until = AbortSignal.any([signal, ending.signal]);

  const files = {
    certFile: join(options.tlsDir, options.tlsCertName),
    keyFile: join(options.tlsDir, options.tlsKeyName),
  };
  const certificate: CertificateOptions = { files, clock, signal: until, log, metrics };
  let opened: OpenedStore | undefined;
  let noCertificate = "the certificate is being read";
  const noIndex = () => opened?.problem() ?? "the lists of EnvoyConfigs and DiscoveryServices are being read";
  const [{ index, services, noNativeSidecars }, material] = await Promise.all([
    missing.while("index", noIndex, async () => {
      opened = stack.use(await parts.openStore(metrics));
      const { store } = opened;
      const [index, services, noNativeSidecars] = await Promise.all([
        watchNodeIds(store, { signal: until, log }),
        options.image === undefined ? undefined : watchDiscoveryServices(store, { signal: until, log }),
        options.image === undefined ? undefined : opened.noNativeSidecars?.(),
      ]);
      return { index, services, noNativeSidecars };
    }),
    missing.while(
      "certificate",
      () => noCertificate,
      () => firstCertificate(certificate, (why) => noCertificate = why),
    ),
  ]);
  signal.throwIfAborted();

  const registry = envoyRegistry();
  const reviewers = [
    envoyConfigReviewer({ registry, nodeIds: index.nodeIds, nodeIdScope: options.nodeIdScope }),
    virtualServiceReviewer(),
  ];
  if (options.image !== undefined && services) {
    reviewers.push(
      podReviewer({
        inject: injector(services, { image: options.image, envoyImage: options.envoyImage, noNativeSidecars }),
      }),
    );
  } else log.info("No sidecars are injected, since no image is given for their helpers");
  const admission = new Admission({
    reviewers,
    clock,
    log,
    metrics,
    lookAgain: (reason, request) => lookAgain(reason, { request, index, services }),
    onAllowed: (request) => index.onAllowed(request),
  });
  const server = await serveHttps({
    host: options.webhookHost ?? "",
    port: options.webhookPort,
    tls: material,
    answer: (request) => admission.answer(request),
  });
  stack.defer(() => server.close({ deadlineMs: DRAIN_MS }));
  const show = (shown: ServerMaterial) => void opened?.shows?.(fingerprintOf(shown));
  show(material);
  followCertificate(material, certificate, (next) => {
    server.updateTls(next);
    show(next);
  });
  missing.started();

  const running = stack.move();
  return {
    addresses: { webhook: server.address, ...addresses },
    async [Symbol.asyncDispose]() {
      missing.ending();
      server.drain();
      await new Promise<void>((resolve) => clock.after(options.shutdownDelay, resolve));
      await running.disposeAsync();
    },
  };
}

/** What becomes of pods, by the DiscoveryServices that are known. */
function injector(
  services: DiscoveryServiceIndex,
  { image, envoyImage, noNativeSidecars }: {
    image: string;
    envoyImage: string | undefined;
    noNativeSidecars: string | undefined;
  },
): (pod: unknown, namespace: string) => Injection {
  return (pod, namespace) =>
    injectPod(pod, {
      ...{ image, envoyImage },
      discovery: (name) => discoveryIn(services.of(namespace), name),
      drainToken: crypto.randomUUID(),
      ...(noNativeSidecars === undefined ? {} : { noNativeSidecars }),
    });
}

/** Looks anew at what a refusal rests on. */
function lookAgain(
  reason: VerdictReason,
  { request, index, services }: {
    request: AdmissionRequest;
    index: NodeIdIndex;
    services: DiscoveryServiceIndex | undefined;
  },
): Promise<void> | undefined {
  if (reason === "no-discovery-service") return services?.lookAgain(request.namespace);
  if (reason !== "node-id-conflict") return undefined;
  return index.lookAgain((request.object as { readonly spec: { readonly nodeID: string } }).spec.nodeID); // by the reason
}

/** What the webhook tells those who look after it. */
function probeSource({ prometheus, missing, host, now }: {
  prometheus: PrometheusMetrics;
  missing: Missing;
  host: WebhookParts["host"];
  now: number;
}): ProbeSource {
  const { metrics, contentType } = prometheus;
  metrics.set("chancery_build_info", { version: host.version, envoy_api: host.envoyApi }, 1);
  metrics.set("process_start_time_seconds", {}, now / 1000);
  const collect = (metrics: Metrics) => {
    metrics.set("chancery_ready", {}, missing.told().length === 0 ? 1 : 0);
    const { rss, heapUsed } = Deno.memoryUsage();
    metrics.set("process_resident_memory_bytes", {}, rss);
    metrics.set("process_heap_bytes", {}, heapUsed);
  };
  return {
    missing: () => missing.told(),
    metrics: async () => ({ contentType, text: await prometheus.text(collect) }),
  };
}
