import { expect } from "expect";
import { parseYaml } from "../../base/yaml/mod.ts";
import { METRICS } from "../../telemetry/mod.ts";
import { installedObjects, installOptions } from "../mod.ts";
import { ENVOY_METRICS } from "./query.ts";

/** What Prometheus adds to every series of a pod; a label of the same name is kept as `exported_…`. */
const TARGET_LABELS = ["namespace", "pod", "job"];

const { monitoring, operator, webhook, webhookConfigurations } = installedObjects(
  installOptions({ "monitoring.enabled": true }),
);

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly annotations: Readonly<Record<string, string>>;
}

function rules(): readonly Rule[] {
  const { spec } = monitoring.find(({ kind }) => kind === "PrometheusRule")!;
  return (spec as { groups: { rules: Rule[] }[] }).groups.flatMap(({ rules }) => rules); // as is written there
}

interface Query {
  readonly expr: string;
  readonly legendFormat: string;
}

function queries(): readonly Query[] {
  const { data } = monitoring.find(({ kind }) => kind === "ConfigMap")! as unknown as { data: Record<string, string> };
  const { panels } = JSON.parse(data["chancery.json"]!) as { panels: { targets: Query[] }[] };
  return panels.flatMap(({ targets }) => targets);
}

/** The metrics that an expression names, by the names of their tables, with the labels of their series at a Prometheus. */
function metricsOf(expr: string): Map<string, readonly string[]> {
  const names = new Set(
    expr.replaceAll(/(?:by|on) \([^)]*\)/g, "").match(/\b(?:chancery|process|envoy|marin3r)_[a-z_]+(?=[{ )[]|$)/g),
  );
  return new Map([...names].map((name) => {
    const own = name.replace(/_bucket$/, "");
    const labels: readonly string[] | undefined = own in METRICS
      ? METRICS[own as keyof typeof METRICS].labels
      : ENVOY_METRICS[name as keyof typeof ENVOY_METRICS];
    if (labels === undefined) throw new Error(`Nobody tells ${name}, which ${expr} asks for`);
    const kept = labels.map((label) => TARGET_LABELS.includes(label) ? `exported_${label}` : label);
    return [name, [...kept, ...TARGET_LABELS, ...(own === name ? [] : ["le"])]];
  }));
}

/** The labels that what comes out of an expression has. */
function resultLabels(expr: string): readonly string[] {
  const by = /^(?:\w+\([^(]*)?(?:sum|max|min) by \(([^)]*)\)/.exec(expr)?.[1];
  return by === undefined ? [...metricsOf(expr).values()][0]! : by.split(", ");
}

Deno.test("O7: alerts and dashboard ask for metrics that there are, by labels that these have", () => {
  for (const { expr } of [...rules(), ...queries()]) {
    const metrics = metricsOf(expr);
    expect([expr, metrics.size]).toEqual([expr, expr.includes(" and ") ? 2 : 1]);
    const labels = [...metrics.values()].flat();
    const asked = [
      ...[...expr.matchAll(/\b(?:by|on) \(([^)]*)\)/g)].flatMap(([, list = ""]) => list.split(", ")),
      ...[...expr.matchAll(/[{,]([a-z_]+)[=!]/g)].map(([, label = ""]) => label),
    ];
    for (const label of asked) expect([expr, labels]).toEqual([expr, expect.arrayContaining([label])]);
  }
});

Deno.test("what alerts and legends say of a label, the result of their expression has", () => {
  for (const { expr, annotations } of rules()) {
    const named = Object.values(annotations).flatMap((text) => [...text.matchAll(/\$labels\.(\w+)/g)]);
    for (const [, label] of named) expect([expr, resultLabels(expr)]).toEqual([expr, expect.arrayContaining([label])]);
  }
  for (const { expr, legendFormat } of queries()) {
    for (const [, label] of legendFormat.matchAll(/\{\{(\w+)\}\}/g)) {
      expect([expr, resultLabels(expr)]).toEqual([expr, expect.arrayContaining([label])]);
    }
  }
});

/** An object with what its template says, as far as it is looked at. */
interface Made {
  readonly kind: string;
  readonly metadata: { readonly labels?: Labels };
  readonly spec: {
    readonly ports?: readonly { readonly name?: string; readonly targetPort?: unknown }[];
    readonly selector?: unknown;
    readonly template?: { readonly metadata: { readonly labels: Labels }; readonly spec: PodSpec };
    readonly containers?: PodSpec["containers"];
  };
}

type Labels = Readonly<Record<string, string>>;
interface PodSpec {
  readonly containers: readonly { readonly ports?: readonly { readonly name?: string }[] }[];
}

/** What the cases of a folder give, down to each mapping. */
function* mappingsIn(folder: string): Generator<Partial<Made>> {
  const url = new URL(`../../${folder}/testdata/`, import.meta.url);
  for (const { name } of Deno.readDirSync(url)) {
    const text = Deno.readTextFileSync(new URL(`${name}/out.yaml`, url));
    const open: unknown[] = parseYaml(text, name).documents.map(({ value }) => value);
    for (let value = open.pop(); value !== undefined; value = open.pop()) {
      if (typeof value !== "object" || value === null) continue;
      if (!Array.isArray(value)) yield value;
      open.push(...Object.values(value).filter((one) => typeof one === "object"));
    }
  }
}

/** Whole objects among what the cases of a folder give. */
function madeIn(folder: string): Made[] {
  return [...mappingsIn(folder)].filter((one): one is Made => one.metadata !== undefined && one.spec !== undefined);
}

function matches(wanted: Labels, labels: Labels = {}): boolean {
  return Object.entries(wanted).every(([name, value]) => labels[name] === value);
}

function portsOf({ containers }: PodSpec): (string | undefined)[] {
  return containers.flatMap(({ ports = [] }) => ports.map(({ name }) => name));
}

/** The monitor of this name: whom it selects, and the name of the port. */
function monitor(name: string): { labels: Labels; port: string } {
  const { spec } = monitoring.find(({ kind, metadata }) => /Monitor$/.test(kind) && metadata.name === name)!;
  const { selector, endpoints, podMetricsEndpoints } = spec as { // as is written there
    readonly selector: { readonly matchLabels: Labels };
    readonly endpoints?: readonly [{ readonly port: string }];
    readonly podMetricsEndpoints?: readonly [{ readonly port: string }];
  };
  return { labels: selector.matchLabels, port: (endpoints ?? podMetricsEndpoints)![0].port };
}

/** Services that a ServiceMonitor finds, with a port of its name that leads to one of the pods. */
function expectScraped(name: string, services: readonly Made[], deployments: readonly Made[]): void {
  const { labels, port } = monitor(name);
  const found = services.filter(({ metadata, spec }) =>
    matches(labels, metadata.labels) && spec.ports?.some((one) => one.name === port)
  );
  expect([name, found.length]).not.toEqual([name, 0]);
  for (const { spec } of found) {
    const pods = deployments.filter(({ spec: { template } }) =>
      template && matches(spec.selector as Labels, template.metadata.labels)
    );
    expect([name, pods.length]).not.toEqual([name, 0]);
    const { targetPort } = spec.ports!.find((one) => one.name === port)!;
    for (const pod of pods) {
      expect([name, portsOf(pod.spec.template!.spec)]).toEqual([name, expect.arrayContaining([targetPort])]);
    }
  }
}

Deno.test("O7: ServiceMonitors find the metrics of every role", () => {
  const kind = (objects: readonly Made[], kind: string) => objects.filter((one) => one.kind === kind);
  const installed = [...operator, ...webhook] as unknown as readonly Made[]; // those of both kinds have these fields
  for (const name of ["chancery-operator", "chancery-webhook"]) {
    expectScraped(name, kind(installed, "Service"), kind(installed, "Deployment"));
  }
  const made = madeIn("reconcile/discovery_service");
  expectScraped("chancery-discovery-services", kind(made, "Service"), kind(made, "Deployment"));
});

Deno.test("O7: PodMonitors find every Envoy that is made or injected, and no other pod", () => {
  const templates = madeIn("reconcile/envoy_deployment").flatMap(({ spec }) => spec.template ?? []);
  expect(templates.length).toBeGreaterThan(5);
  const made = monitor("chancery-envoy-deployments");
  for (const { metadata, spec } of templates) {
    expect(metadata.labels).toMatchObject(made.labels);
    expect(portsOf(spec)).toContain(made.port);
  }
  const sidecars = monitor("chancery-sidecars");
  const [injecting] = webhookConfigurations.filter(({ kind }) => kind === "MutatingWebhookConfiguration");
  expect(injecting!.webhooks).toMatchObject([{ objectSelector: { matchLabels: sidecars.labels } }]);
  const injected = [...mappingsIn("inject")].filter((one) =>
    "name" in one && one.name === "envoy-sidecar" && "ports" in one
  );
  expect(injected.length).toBeGreaterThan(5);
  for (const container of injected) expect(portsOf({ containers: [container] } as PodSpec)).toContain(sidecars.port);
  const servers = madeIn("reconcile/discovery_service").flatMap(({ spec }) => spec.template ?? []);
  for (const { metadata } of servers) {
    for (const { labels } of [made, sidecars]) expect(matches(labels, metadata.labels)).toBe(false);
  }
});
