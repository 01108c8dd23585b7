import {
  type Pod,
  readVirtualService,
  type VirtualService,
  type VirtualServiceSpec,
} from "../../api/virtual_service/mod.ts";
import type { Finding } from "../../base/mod.ts";
import { BOOTSTRAP } from "../../bootstrap/mod.ts";
import type { Registry } from "../../envoy/mod.ts";
import { type Collision, planVirtualServices } from "../../reconcile/virtual_service/mod.ts";

/** An object of the files, as far as it matters here. */
interface Written {
  readonly namespace: string;
  readonly name: string;
  readonly value: Readonly<Record<string, unknown>>;
}

/** Something to tell of one of them. */
export interface Told<T> {
  readonly object: T;
  readonly finding: Finding;
}

/** Options of {@linkcode checkVirtualServices}. */
export interface CheckOptions<T> {
  /** All pods of the files, none of them with an error. */
  readonly pods: readonly T[];
  readonly registry: Registry;
  /** Whether references to nothing are errors. */
  readonly strict: boolean;
}

/**
 * What there is to say about all VirtualServices of the files: each by itself, and what they come to for the pods of the files and for
 * any pod that has just the labels that one of them asks for. Who writes no pods hears nothing of selectors that match none.
 */
export function checkVirtualServices<T extends Written>(objects: readonly T[], options: CheckOptions<T>): Told<T>[] {
  const { pods, registry, strict } = options;
  const told = new Findings<T>();
  const byId = new Map<string, T>();
  const readable: VirtualService[] = [];
  for (const [index, object] of objects.entries()) {
    const { virtualService, findings } = readVirtualService(object.value, { staticClusters: [BOOTSTRAP.cluster] });
    for (const finding of findings) told.add(object, finding);
    if (!virtualService || byId.has(idOf(object))) continue; // of two the first
    byId.set(idOf(object), object);
    readable.push(inPlace(object, index));
  }
  const written = pods.map((pod) => inPlace<Pod>(pod));
  const plan = planVirtualServices({
    virtualServices: readable,
    pods: [...written, ...readable.map(imaginedPod)],
  }, registry);
  for (const [id, { pods: selected, collisions, findings }] of plan.virtualServices) {
    const object = byId.get(id)!; // they are what was planned with
    const dangling = (finding: Omit<Finding, "severity">) =>
      pods.length > 0 && told.add(object, { ...finding, severity: strict ? "error" : "warning" });
    for (const finding of findings) {
      if (finding.rule === "endpoints-not-found") dangling(finding);
      else told.add(object, finding);
    }
    for (const collision of collisions) told.add(object, findingOf(collision, object));
    if (selected.length > 0 && selected.every((pod) => pod.includes(IMAGINED))) {
      const message = `selects none of the ${pods.length === 1 ? "pod" : `${pods.length} pods`} in these files`;
      dangling({ path: ["spec", "selector"], message, rule: "selects-nothing" });
    }
  }
  return told.all;
}

/** What is to be told, each once: what is wrong with an object by itself is found again where all are looked at. */
class Findings<T> {
  readonly all: Told<T>[] = [];
  readonly #known = new Map<T, Set<string>>();

  add(object: T, finding: Finding): void {
    const known = this.#known.get(object) ?? new Set();
    const what = JSON.stringify([finding.path, finding.message]);
    if (known.has(what)) return;
    this.#known.set(object, known.add(what));
    this.all.push({ object, finding });
  }
}

/** Is in the names of pods that nobody wrote, and in no name of a file that is sound. */
const IMAGINED = "\0";

/** A pod that gets what a VirtualService gives, and whatever else anybody gives to each such pod. Nobody sends to it. */
function imaginedPod({ metadata: { namespace = "", name }, spec }: VirtualService): Pod {
  const metadata = { namespace, name: `${IMAGINED}${name}`, labels: spec.selector };
  return { apiVersion: "v1", kind: "Pod", metadata };
}

/** As it is written, in the namespace that it is in. Of VirtualServices that say nothing of their age the first counts as the oldest. */
function inPlace<T extends Pod | VirtualService>({ namespace, value }: Written, index = 0): T {
  const metadata = { ...value.metadata as object, namespace, uid: String(index).padStart(9, "0") }; // it has been read
  return { ...value, metadata } as unknown as T; // of that kind
}

function findingOf({ index, what, by }: Collision, { value }: Written): Finding {
  const { listeners } = value.spec as VirtualServiceSpec; // there is such an entry
  const protocol = listeners?.[index]?.udp ? "udp" : "tcp";
  const field = what.startsWith("listener")
    ? ["name"]
    : what.startsWith("cluster")
    ? [protocol, "cluster", "name"]
    : [protocol, "port"];
  return {
    severity: "error",
    path: ["spec", "listeners", index, ...field],
    message: `${what} is taken by VirtualService ${JSON.stringify(by)}, which some pod gets as well`,
    rule: "conflict",
  };
}

function idOf({ namespace, name }: Written): string {
  return `${namespace}/${name}`;
}
