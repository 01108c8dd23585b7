import { Counter, Gauge, Histogram, Registry } from "prom-client";
import { type MetricName, METRICS, type Metrics, type MetricSpec } from "../metrics.ts";

/** Metrics that Prometheus can fetch. */
export interface PrometheusMetrics {
  readonly metrics: Metrics;
  readonly contentType: string;
  /**
   * The text for one scrape. `collect` sets the metrics that are computed at scrape time; their series of the scrape before
   * are gone when it is called.
   */
  text(collect?: (metrics: Metrics) => void): Promise<string>;
}

type Instrument = Counter<string> | Gauge<string> | Histogram<string>;

/** A registry of its own (several may live in one process), filled from {@linkcode METRICS}. */
export function prometheusMetrics(): PrometheusMetrics {
  const registry = new Registry();
  const instruments = new Map<MetricName, Instrument>();
  const names = Object.keys(METRICS) as MetricName[]; // Object.keys forgets that the keys are known
  for (const name of names) instruments.set(name, instrumentOf(name, registry));
  function get<T extends Instrument>(name: MetricName, kind: new (...args: never[]) => T): T {
    const found = instruments.get(name);
    if (!(found instanceof kind)) throw new TypeError(`Cannot use metric ${JSON.stringify(name)} as a ${kind.name}`);
    return found;
  }
  const metrics: Metrics = {
    count: (name, labels, by = 1) => get(name, Counter).inc(labels, by),
    set: (name, labels, value) => get(name, Gauge).set(labels, value),
    observe: (name, labels, value) => get(name, Histogram).observe(labels, value),
    clear: (name) => instruments.get(name)?.reset(),
  };
  return {
    metrics,
    contentType: registry.contentType,
    text(collect) {
      if (collect) {
        for (const name of names) if (specOf(name).atScrape) metrics.clear(name);
        collect(metrics);
      }
      return registry.metrics();
    },
  };
}

function specOf(name: MetricName): MetricSpec {
  return METRICS[name];
}

function instrumentOf(name: MetricName, registry: Registry): Instrument {
  const { kind, help, labels, buckets } = specOf(name);
  const common = { name, help, labelNames: [...labels], registers: [registry] };
  if (kind === "counter") return new Counter(common);
  if (kind === "gauge") return new Gauge(common);
  return new Histogram(buckets ? { ...common, buckets: [...buckets] } : common);
}
