import type { Metrics } from "../../telemetry/mod.ts";
import type { StreamInfo, XdsObserver } from "../../xds/mod.ts";

interface Series {
  readonly nodeId: string;
  readonly typeUrl: string;
  readonly pod: string;
  requests: number;
  acks: number;
  nacks: number;
  version: string | undefined;
}

interface Client {
  streams: number;
  readonly series: Map<string, Series>;
}

/** As much of a verdict as is counted. */
interface Said {
  readonly typeUrl: string;
  readonly accepted: boolean;
  readonly response: { readonly version: string };
}

/**
 * Counts what streams ask, accept and refuse, per node id, type and pod, under the names that MARIN3R had. What is kept is
 * bounded by the clients that are connected: the series of a pod go with its last stream (W6), and a pod is known by its
 * exact name (W12).
 */
export class XdsMetrics implements XdsObserver {
  readonly #clients = new Map<string, Client>();

  opened(stream: StreamInfo): void {
    const client = this.#clients.get(keyOf(stream));
    if (client) client.streams++;
    else this.#clients.set(keyOf(stream), { streams: 1, series: new Map() });
  }

  closed(stream: StreamInfo): void {
    const key = keyOf(stream);
    const client = this.#clients.get(key);
    if (client && --client.streams === 0) this.#clients.delete(key);
  }

  requested(stream: StreamInfo, typeUrl: string): void {
    this.#count(stream, typeUrl, (series) => series.requests++);
  }

  verdict(stream: StreamInfo, verdict: Said): void {
    this.#count(stream, verdict.typeUrl, (series) => {
      if (!verdict.accepted) return series.nacks++;
      series.version = verdict.response.version;
      return series.acks++;
    });
  }

  /** Sets the metrics for one scrape. */
  collect(metrics: Metrics): void {
    for (const { series } of this.#clients.values()) {
      for (const { nodeId, typeUrl, pod, requests, acks, nacks, version } of series.values()) {
        const labels = { node_id: nodeId, resource_type: typeUrl, pod_name: pod };
        metrics.count("marin3r_xdss_discovery_requests_total", labels, requests);
        metrics.count("marin3r_xdss_discovery_ack_total", labels, acks);
        metrics.count("marin3r_xdss_discovery_nack_total", labels, nacks);
        if (version !== undefined) metrics.set("marin3r_xdss_discovery_info", { ...labels, version }, 0);
      }
    }
  }

  #count(stream: StreamInfo, typeUrl: string, change: (series: Series) => void): void {
    const all = this.#clients.get(keyOf(stream))?.series;
    if (!all) return;
    let series = all.get(typeUrl);
    if (!series) {
      series = {
        nodeId: stream.node.id,
        typeUrl,
        pod: podOf(stream),
        requests: 0,
        acks: 0,
        nacks: 0,
        version: undefined,
      };
      all.set(typeUrl, series);
    }
    change(series);
  }
}

function podOf(stream: StreamInfo): string {
  return stream.node.metadata.get("pod_name") ?? "unknown";
}

function keyOf(stream: StreamInfo): string {
  return JSON.stringify([stream.node.id, podOf(stream)]);
}
