import { METRICS } from "../../telemetry/mod.ts";

/** The rows of the table of metrics that a loader fills. */
export type LoaderMetric = Extract<keyof typeof METRICS, `chancery_loader_${string}`>;

/** What a loader counts, without the library that larger roles use. */
export class LoaderMetrics {
  readonly #series = new Map<LoaderMetric, Map<string, number>>();

  /** Adds to a counter. */
  count(name: LoaderMetric, labels: readonly string[] = [], by = 1): void {
    const key = labelsOf(name, labels);
    this.#of(name).set(key, (this.#of(name).get(key) ?? 0) + by);
  }

  /** Sets a gauge. */
  set(name: LoaderMetric, labels: readonly string[], value: number): void {
    this.#of(name).set(labelsOf(name, labels), value);
  }

  /** All of them in Prometheus' text form. */
  text(): string {
    return [...this.#series].map(([name, series]) => {
      const { help, kind } = METRICS[name];
      const lines = [...series].map(([labels, value]) => `${name}${labels} ${value}\n`);
      return `# HELP ${name} ${help}\n# TYPE ${name} ${kind}\n${lines.join("")}`;
    }).join("");
  }

  #of(name: LoaderMetric): Map<string, number> {
    let series = this.#series.get(name);
    if (!series) this.#series.set(name, series = new Map());
    return series;
  }
}

function labelsOf(name: LoaderMetric, values: readonly string[]): string {
  const { labels } = METRICS[name] as { readonly labels: readonly string[] };
  if (labels.length === 0) return "";
  const pairs = labels.map((label, index) => {
    const value = (values[index] ?? "").replace(/[\\"\n]/g, (c) => (c === "\n" ? "\\n" : `\\${c}`));
    return `${label}="${value}"`;
  });
  return `{${pairs.join(",")}}`;
}
