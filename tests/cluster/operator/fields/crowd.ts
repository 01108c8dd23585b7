import { eventually } from "../../../envoy/harness/mod.ts";
import type { ControlPlane } from "../../control_plane/mod.ts";
import { conditionOf, type Ground, openGround, type TestObject } from "../ground.ts";
import type { OperatorProcess } from "../operator_process.ts";
import { OperatorWrites } from "../writes.ts";
import { WORKSHOP, workshopManifests } from "./by_hand.ts";
import * as services from "./discovery_service.ts";
import * as envoys from "./envoy_deployment.ts";
import { type FieldTable, nameOf, specsOf } from "./field_case.ts";
import { differences, ownedObjects, type Shown, shownOf, type StoredObject } from "./owned_view.ts";

const KINDS = "operator.marin3r.3scale.net/v1alpha1";
/** Where the operator is. */
const OFFICE = "office";
/** Where the EnvoyDeployments are, with one DiscoveryService. */
export const TOWN = "town";
/** Each object is looked at anew after so long. */
const RESYNC_MS = 3_000;
const SETTLED_MS = 120_000;
const BETWEEN_MS = 200;

/** One object that a field is tried out with. */
interface Tried {
  readonly kind: "DiscoveryService" | "EnvoyDeployment";
  readonly field: string;
  readonly namespace: string;
  readonly name: string;
  readonly reason: string;
  readonly leaves: readonly string[];
  readonly pods: "ready" | undefined;
  readonly before: object;
  readonly after: object;
}

/** What changed, by field and then by object. */
export type Effects = Record<string, Record<string, string[]>>;

/**
 * An object for each field of DiscoveryService and EnvoyDeployment, on a control plane of their own, under one operator that looks after
 * all namespaces: DiscoveryServices in a namespace each, as one serves a namespace.
 */
export class Crowd implements AsyncDisposable {
  readonly ground: Ground;
  readonly operator: OperatorProcess;
  readonly #tried: readonly Tried[];
  readonly #writes: OperatorWrites;
  readonly #extra: number;

  /** Use {@linkcode openCrowd}. */
  constructor(ground: Ground, extra: number) {
    this.ground = ground;
    this.#extra = extra;
    this.operator = ground.operator("operator-1", { watch: "", args: ["--resync-period", `${RESYNC_MS}ms`] });
    this.#writes = new OperatorWrites(ground.cluster, ground);
    this.#tried = [
      ...triedOf("DiscoveryService", services.DISCOVERY_SERVICE_CASES, services.COMMON),
      ...triedOf("EnvoyDeployment", envoys.ENVOY_DEPLOYMENT_CASES, envoys.COMMON),
    ];
  }

  /** Makes everything there is, each without what it is about, or as that was. */
  async populate(): Promise<void> {
    const { cluster } = this.ground;
    const extra = Array.from({ length: this.#extra }, (_, at) => `extra-${at}`);
    const namespaces = new Set([TOWN, WORKSHOP, ...this.#tried.map(({ namespace }) => namespace), ...extra]);
    await cluster.apply([...namespaces].map((name) => ({ apiVersion: "v1", kind: "Namespace", metadata: { name } })));
    await cluster.apply([
      object("DiscoveryService", { namespace: TOWN, name: "ds" }, services.COMMON),
      envoyConfig("edge"),
      envoyConfig("other"),
      ...workshopManifests(),
      ...extra.map((namespace) => object("DiscoveryService", { namespace, name: "ds" }, services.COMMON)),
    ]);
    await this.apply("before");
    // Ages are in whole seconds, and this one shall be the younger.
    await eventually(async () => {
      await cluster.apply([object("DiscoveryService", { namespace: TOWN, name: "second" }, services.COMMON)]);
      const [first, second] = await Promise.all([this.#service("ds"), this.#service("second")]);
      if (created(second) > created(first)) return true;
      await cluster.request("DELETE", `/apis/${KINDS}/namespaces/${TOWN}/discoveryservices/second`);
      return false;
    }, { what: "a younger DiscoveryService" });
  }

  /**
   * Applies what each is about, or how it was, as most people do: by kubectl, which finds out itself what went. (A server-side apply
   * that takes the last field of an object away, and leaves the object, is refused: the API server makes a null of it.)
   */
  async apply(which: "before" | "after"): Promise<void> {
    const items = this.#tried.map((one) => object(one.kind, one, one[which]));
    const stdin = JSON.stringify({ apiVersion: "v1", kind: "List", items });
    const { code, stderr } = await this.ground.cluster.kubectl(["apply", "-f", "-"], { stdin });
    if (code !== 0) throw new Error(`Cannot apply: ${stderr}`);
  }

  /** How many of a kind there are. */
  count(kind: Tried["kind"]): number {
    return this.#tried.filter((one) => one.kind === kind).length +
      (kind === "DiscoveryService" ? this.#extra + 3 : 2);
  }

  /** Waits until the operator has said of each that it is as it should be, in its present generation. */
  async settled(which: "before" | "after"): Promise<void> {
    let open: string[] = [];
    await eventually(async () => {
      const stored = new Map((await Promise.all(["discoveryservices", "envoydeployments"].map(async (plural) => {
        const { items } = await this.ground.cluster.request("GET", `/apis/${KINDS}/${plural}`) as {
          items: TestObject[];
        };
        return items.map((item) => [`${item.kind} ${placeOf(item)}/${item.metadata.name}`, item] as const);
      }))).flat());
      open = this.#tried.filter(({ kind, namespace, name, reason }) => {
        const found = stored.get(`${kind} ${namespace}/${name}`);
        const told = found && conditionOf(found, "Reconciled");
        return told?.reason !== (which === "after" ? reason : "AsWanted") ||
          found?.status?.["observedGeneration"] !== found?.metadata.generation;
      }).map(({ kind, field }) => `${kind} ${field}`);
      return open.length === 0 || await later();
    }, {
      what: "everything to be as wanted",
      deadlineMs: SETTLED_MS,
      explain: () => `${open.join("\n")}\n${this.operator.process.tail(20)}`,
    });
  }

  /** What there is of each, by kind and field. */
  async views(kind: Tried["kind"]): Promise<ReadonlyMap<string, Shown>> {
    const all = await ownedObjects(this.ground.cluster);
    return new Map(
      this.#tried.filter((one) => one.kind === kind).map((one) => [one.field, shownOf(objectsOf(one, all))]),
    );
  }

  /** What has changed since a view. */
  async effects(kind: Tried["kind"], since: ReadonlyMap<string, Shown>): Promise<Effects> {
    const now = await this.views(kind);
    return Object.fromEntries([...since].map(([field, before]) => [field, differences(before, now.get(field)!)]));
  }

  /** Removes by hand what stays by intent once fields are as before. */
  async removeLeftovers(): Promise<void> {
    for (const { namespace, leaves } of this.#tried) {
      for (const path of leaves) {
        await this.ground.cluster.request("DELETE", `/api/v1/namespaces/${namespace}/${path}`);
      }
    }
  }

  /** Says what a kubelet would of the pods that are to become ready. */
  async actKubelet(): Promise<void> {
    const { cluster } = this.ground;
    for (const { namespace, name } of this.#tried.filter(({ pods }) => pods === "ready")) {
      const path = `/api/v1/namespaces/${namespace}/pods`;
      const selector = encodeURIComponent(`app.kubernetes.io/instance=${name}`);
      const { items } = await cluster.request("GET", `${path}?labelSelector=${selector}`) as { items: StoredObject[] };
      for (const { metadata } of items) {
        const status = { phase: "Running", conditions: [{ type: "Ready", status: "True" }] };
        await cluster.request("PATCH", `${path}/${metadata.name}/status`, { status }, "application/merge-patch+json");
      }
    }
  }

  /** Waits until the operator has written nothing for so long, and gives the number of its writes. */
  async quiet(forMs = RESYNC_MS + 1_000): Promise<number> {
    let [count, since] = [-1, 0];
    await eventually(async () => {
      const writes = await this.#writes.soFar();
      if (writes.length !== count) [count, since] = [writes.length, performance.now()];
      return performance.now() - since > forMs || await later();
    }, {
      what: "the operator to be quiet",
      deadlineMs: SETTLED_MS + forMs,
      explain: async () => (await this.#writes.soFar()).slice(-20).join("\n"),
    });
    return count;
  }

  /** What was written after the first so many writes. */
  async writesAfter(count: number): Promise<readonly string[]> {
    return (await this.#writes.soFar()).slice(count);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.ground[Symbol.asyncDispose]();
  }

  async #service(name: string): Promise<StoredObject> {
    const path = `/apis/${KINDS}/namespaces/${TOWN}/discoveryservices/${name}`;
    return await this.ground.cluster.request("GET", path) as StoredObject; // what is kept under this path
  }
}

/** Opens a crowd on a control plane of its own, whose CRDs are applied; `extra` DiscoveryServices are added to it. */
export async function openCrowd(cluster: ControlPlane, { extra = 0 } = {}): Promise<Crowd> {
  await cluster.apply([{ apiVersion: "v1", kind: "Namespace", metadata: { name: OFFICE } }]);
  return new Crowd(await openGround({ cluster, namespace: OFFICE }), extra);
}

/** What is asked of many objects at once need not be asked again and again without a pause. */
export async function later(): Promise<false> {
  await new Promise((resolve) => setTimeout(resolve, BETWEEN_MS));
  return false;
}

function triedOf(kind: Tried["kind"], table: FieldTable, common: Readonly<Record<string, unknown>>): Tried[] {
  return Object.entries(table).map(([field, one]) => {
    const own = nameOf(field);
    const place = kind === "DiscoveryService"
      ? { namespace: `ds-${own}`, name: "ds" }
      : { namespace: TOWN, name: `ed-${own}` };
    const { reason = "AsWanted", leaves = [], pods } = one;
    return { kind, field, ...place, reason, leaves, pods, ...specsOf(common, field, one) };
  });
}

function objectsOf({ kind, namespace, name }: Tried, all: readonly StoredObject[]): StoredObject[] {
  const here = all.filter(({ metadata }) => metadata.namespace === namespace);
  if (kind === "DiscoveryService") return here;
  return here.filter(({ metadata: { labels, name: found } }) =>
    labels?.["app.kubernetes.io/instance"] === name || found === `envoy-client-cert-${name}`
  );
}

function object(kind: string, { namespace, name }: { namespace: string; name: string }, spec: object) {
  return { apiVersion: KINDS, kind, metadata: { name, namespace }, spec };
}

function envoyConfig(name: string) {
  const spec = { nodeID: name, envoyResources: {} };
  return { apiVersion: "marin3r.3scale.net/v1alpha1", kind: "EnvoyConfig", metadata: { name, namespace: TOWN }, spec };
}

function created(stored: { readonly metadata: object }): string {
  return (stored.metadata as { creationTimestamp: string }).creationTimestamp; // the API server sets it
}

function placeOf({ metadata }: TestObject): string {
  return (metadata as { namespace?: string }).namespace ?? "";
}
