/** What a metric is to Prometheus. */
export type MetricKind = "counter" | "gauge" | "histogram";

/** One row of {@linkcode METRICS}. */
export interface MetricSpec {
  readonly kind: MetricKind;
  readonly help: string;
  readonly labels: readonly string[];
  /** Upper bounds, histograms only. */
  readonly buckets?: readonly number[];
  /**
   * Computed from the state of the program each time somebody asks, so that the series of what went away go away too. A
   * counter of this sort keeps the name and type it always had, although it is set rather than counted.
   */
  readonly atScrape?: true;
}

const POD = ["node_id", "resource_type", "pod_name"] as const;

/** Every metric of the program, in one place. Units are in the names. */
export const METRICS = {
  // Names and labels that dashboards of MARIN3R's users ask for; `resource_type` is the full type URL.
  marin3r_xdss_discovery_requests_total: {
    kind: "counter",
    help: "Requests that open a subscription",
    labels: POD,
    atScrape: true,
  },
  marin3r_xdss_discovery_ack_total: {
    kind: "counter",
    help: "Responses accepted by a proxy",
    labels: POD,
    atScrape: true,
  },
  marin3r_xdss_discovery_nack_total: {
    kind: "counter",
    help: "Responses refused by a proxy",
    labels: POD,
    atScrape: true,
  },
  marin3r_xdss_discovery_info: {
    kind: "gauge",
    help: "Version last accepted by a proxy, in a label; the value is always 0",
    labels: [...POD, "version"],
    atScrape: true,
  },
  chancery_build_info: {
    kind: "gauge",
    help: "Versions of the program, in labels; always 1",
    labels: ["version", "envoy_api"],
  },
  chancery_ready: { kind: "gauge", help: "1 when everything is loaded and xDS is served", labels: [], atScrape: true },
  chancery_xds_streams: {
    kind: "gauge",
    help: "Open xDS streams",
    labels: ["node_id", "protocol"],
    atScrape: true,
  },
  chancery_configs: {
    kind: "gauge",
    help: "EnvoyConfigs by state: InSync, Rollback, RollbackFailed, or NotServed",
    labels: ["state"],
    atScrape: true,
  },
  chancery_xds_nodes: { kind: "gauge", help: "Node ids that have a configuration", labels: [], atScrape: true },
  chancery_xds_holds: {
    kind: "gauge",
    help: "Changes held back until a proxy has acknowledged what they depend on",
    labels: ["node_id", "resource_type"],
    atScrape: true,
  },
  chancery_xds_rejected: {
    kind: "gauge",
    help: "Streams whose last word on a type was a refusal",
    labels: ["node_id", "resource_type"],
    atScrape: true,
  },
  chancery_xds_answers_total: {
    kind: "counter",
    help: "Responses that proxies accepted or refused, and why in a word: address-in-use, duplicate, invalid, " +
      "unknown-cluster, unknown-extension, certificate, other",
    labels: ["resource_type", "result", "reason"],
  },
  chancery_xds_push_duration_seconds: {
    kind: "histogram",
    help: "Time from a change being sent until the proxy accepted it",
    labels: ["resource_type"],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  },
  chancery_xds_unverified_clients: {
    kind: "gauge",
    help: "Open streams of Envoys that do not verify who configures them, as init-manager wrote into their metadata",
    labels: ["node_id"],
    atScrape: true,
  },
  chancery_xds_paused: {
    kind: "gauge",
    help: "1 while nothing is answered because what is known may be old",
    labels: [],
    atScrape: true,
  },
  chancery_snapshot_resources: {
    kind: "gauge",
    help: "Resources on offer over all node ids",
    labels: ["resource_type"],
    atScrape: true,
  },
  chancery_work_queue_depth: {
    kind: "gauge",
    help: "Node ids that wait to be looked at, now or at a set time",
    labels: [],
    atScrape: true,
  },
  chancery_work_queue_failing: {
    kind: "gauge",
    help: "Node ids of which the last look failed",
    labels: [],
    atScrape: true,
  },
  chancery_leading: { kind: "gauge", help: "1 on the replica that leads", labels: [], atScrape: true },
  chancery_replicas_live: { kind: "gauge", help: "Replicas that live, this one included", labels: [], atScrape: true },
  chancery_watch_current: {
    kind: "gauge",
    help: "1 while a watch misses nothing; namespace is empty for all",
    labels: ["kind", "namespace"],
    atScrape: true,
  },
  chancery_lease_held: {
    kind: "gauge",
    help: "1 on the replica that holds the Lease of a group of controllers",
    labels: ["group"],
    atScrape: true,
  },
  chancery_objects_failing: {
    kind: "gauge",
    help: "Objects that could not be brought to what they should be at the last look",
    labels: ["kind"],
    atScrape: true,
  },
  chancery_objects_waiting: {
    kind: "gauge",
    help: "Objects that wait to be looked at, now or at a set time",
    labels: ["kind"],
    atScrape: true,
  },
  chancery_certificate_expiry_timestamp_seconds: {
    kind: "gauge",
    help: "When a certificate ends, seconds since the epoch",
    labels: ["namespace", "name"],
    atScrape: true,
  },
  chancery_certificate_expires_in_seconds: {
    kind: "gauge",
    help: "Seconds until a certificate ends; negative afterwards",
    labels: ["namespace", "name"],
    atScrape: true,
  },
  chancery_certificate_usable: {
    kind: "gauge",
    help: "1 while a certificate can be used",
    labels: ["namespace", "name"],
    atScrape: true,
  },
  chancery_certificate_rotation_phase_seconds: {
    kind: "gauge",
    help: "Age of the phase in which the change of a certificate authority is: Stable, Trust, Sign or Retire",
    labels: ["namespace", "name", "phase"],
    atScrape: true,
  },
  chancery_certificates_issued_total: { kind: "counter", help: "Certificates that were issued", labels: ["namespace"] },
  chancery_findings: { kind: "gauge", help: "Open findings", labels: ["severity"], atScrape: true },
  chancery_node_looks_total: {
    kind: "counter",
    help: "Looks at the configuration of a node id, by what came of it: ok, findings, failed",
    labels: ["result"],
  },
  chancery_directory_scans_total: { kind: "counter", help: "Scans of the configuration directory", labels: ["result"] },
  chancery_directory_objects: { kind: "gauge", help: "Objects that the directory applied", labels: [], atScrape: true },
  chancery_directory_skipped: {
    kind: "gauge",
    help: "Documents of kinds that are not served here",
    labels: ["kind"],
    atScrape: true,
  },
  chancery_tls_reloads_total: {
    kind: "counter",
    help: "Reloads of the server's certificate files",
    labels: ["result"],
  },
  chancery_client_rights_total: {
    kind: "counter",
    help: "Streams by what their certificate grants (node-id, namespace, none) and whether they were served or refused",
    labels: ["right", "result"],
  },
  chancery_admission_requests_total: {
    kind: "counter",
    help: "Admission reviews by path, result (allowed, denied, failed) and why",
    labels: ["path", "result", "reason"],
  },
  chancery_admission_duration_seconds: {
    kind: "histogram",
    help: "Time from the headers of an admission review until its answer",
    labels: ["path", "result"],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  },
  chancery_store_writable: {
    kind: "gauge",
    help: "0 while the store cannot be written, e.g. on a full disk",
    labels: [],
  },
  chancery_kubernetes_requests_total: {
    kind: "counter",
    help: "Requests to the API server, by HTTP status; none when there was no answer",
    labels: ["method", "code"],
  },
  chancery_kubernetes_request_duration_seconds: {
    kind: "histogram",
    help: "Time until the API server answered; of a watch, until it began",
    labels: ["method"],
    buckets: [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  },
  chancery_watch_restarts_total: {
    kind: "counter",
    help: "Watches that ended and were taken up again, by why: ended, expired, idle, failed, checked",
    labels: ["kind", "reason"],
  },
  chancery_watch_events_total: { kind: "counter", help: "Changes that the API server told", labels: ["kind"] },
  chancery_watch_objects: { kind: "gauge", help: "Objects that are kept of what is watched", labels: ["kind"] },
  chancery_loader_sources: {
    kind: "gauge",
    help: "1 for what is known of a source: present, missing, unknown",
    labels: ["source", "state"],
  },
  chancery_loader_requests_failed_total: {
    kind: "counter",
    help: "Times that a source could not be asked, by why: missing, forbidden, unreachable",
    labels: ["source", "reason"],
  },
  chancery_loader_changes_total: {
    kind: "counter",
    help: "Files that were put in place or removed, by their kind",
    labels: ["kind", "change"],
  },
  chancery_loader_held_files: {
    kind: "gauge",
    help:
      "Files that are wanted and not put in place because something is wrong with them, by what happens to the older ones",
    labels: ["instead"],
  },
  chancery_loader_write_failures_total: {
    kind: "counter",
    help: "Times that the output could not be written",
    labels: ["output"],
  },
  chancery_loader_envoy_answers_total: {
    kind: "counter",
    help: "What Envoy said to changed files of a kind: accepted, refused, silent",
    labels: ["kind", "answer"],
  },
  process_start_time_seconds: { kind: "gauge", help: "Start of the process, seconds since the epoch", labels: [] },
  process_resident_memory_bytes: { kind: "gauge", help: "Resident memory", labels: [], atScrape: true },
  process_heap_bytes: { kind: "gauge", help: "Used memory of the JavaScript heap", labels: [], atScrape: true },
} as const satisfies Readonly<Record<string, MetricSpec>>;

/** Name of a metric; one that is not in the table does not compile. */
export type MetricName = keyof typeof METRICS;

type NamesOf<K extends MetricKind> = { [N in MetricName]: typeof METRICS[N]["kind"] extends K ? N : never }[MetricName];

/** Names of counters that are counted. */
export type CounterName = NamesOf<"counter">;
/** Names of gauges. */
export type GaugeName = NamesOf<"gauge">;
/** Names of histograms. */
export type HistogramName = NamesOf<"histogram">;

/** Exactly the labels that the table names for `N`. */
export type LabelsOf<N extends MetricName> = Readonly<Record<typeof METRICS[N]["labels"][number], string>>;

/** What the program counts. Whoever exports it implements this; see `telemetry/export/`. */
export interface Metrics {
  count<N extends CounterName>(name: N, labels: LabelsOf<N>, by?: number): void;
  set<N extends GaugeName>(name: N, labels: LabelsOf<N>, value: number): void;
  observe<N extends HistogramName>(name: N, labels: LabelsOf<N>, value: number): void;
  /** Drops all series of a metric that no longer exist. */
  clear(name: MetricName): void;
}
