/**
 * A node with a namespace of its own, and the manifests that its tests are about.
 * @module
 */
import { eventually } from "../../envoy/harness/mod.ts";
import { type ControlPlane, sharedControlPlane } from "../control_plane/mod.ts";
import {
  ECHO_SERVER,
  type Images,
  type NodeOptions,
  nodeTest,
  type PodName,
  type ProcessNode,
  programImage,
  startNode,
} from "./mod.ts";

/** A condition of an object. */
export interface Condition {
  readonly type: string;
  readonly status: string;
}

/** What a container does, in a Pod's status. */
export interface ContainerState {
  readonly waiting?: { readonly reason: string; readonly message?: string };
  readonly running?: { readonly startedAt: string };
  readonly terminated?: {
    readonly exitCode: number;
    readonly reason: string;
    readonly message?: string;
    readonly finishedAt: string;
  };
}

/** One container in a Pod's status. */
export interface ContainerStatus {
  readonly name: string;
  readonly ready: boolean;
  readonly started: boolean;
  readonly restartCount: number;
  readonly state: ContainerState;
  readonly lastState: ContainerState;
}

/** A Pod as the API server gives it. */
export interface PodObject {
  readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> };
  readonly spec: { readonly nodeName?: string };
  readonly status: {
    readonly phase: string;
    readonly podIP?: string;
    readonly conditions?: readonly Condition[];
    readonly containerStatuses?: readonly ContainerStatus[];
    readonly initContainerStatuses?: readonly ContainerStatus[];
  };
}

/** An object to be created; `apiVersion` v1 when absent. */
export type Manifest = Readonly<Record<string, unknown>>;

/** Until Pods are as they are to be, on a machine that has other work, in milliseconds. */
const READY_MS = 60_000;

/** A node with a namespace of its own. */
export class Scene {
  readonly cluster: ControlPlane;
  readonly namespace: string;
  readonly node: ProcessNode;

  constructor(cluster: ControlPlane, namespace: string, node: ProcessNode) {
    this.cluster = cluster;
    this.namespace = namespace;
    this.node = node;
  }

  /** Creates objects in the namespace. */
  async create(...manifests: readonly Manifest[]): Promise<void> {
    for (const manifest of manifests) {
      const { apiVersion = "v1", kind, metadata } = manifest as { apiVersion?: string; kind: string; metadata: object };
      const plural = kind.endsWith("s") ? `${kind}es` : kind.endsWith("y") ? `${kind.slice(0, -1)}ies` : `${kind}s`;
      const path = this.path(`${apiVersion === "v1" ? "" : `${apiVersion}/`}${plural.toLowerCase()}`);
      await this.cluster.request("POST", path, { ...manifest, apiVersion, metadata });
    }
  }

  /** A merge patch. */
  async patch(path: string, body: object): Promise<void> {
    await this.cluster.request("PATCH", this.path(path), body, "application/merge-patch+json");
  }

  /** An object or list. */
  async get<T>(path: string): Promise<T> {
    // What the API server keeps under this path.
    return await this.cluster.request("GET", this.path(path)) as T;
  }

  /** `pods/NAME` or `apps/v1/deployments/NAME` in the namespace. */
  path(path: string): string {
    const steps = path.split("/");
    const grouped = steps.length > 2 && /^v\d/.test(steps[1] ?? "");
    const version = grouped ? `/apis/${steps.splice(0, 2).join("/")}` : "/api/v1";
    return `${version}/namespaces/${this.namespace}/${steps.join("/")}`;
  }

  name(name: string): PodName {
    return { namespace: this.namespace, name };
  }

  async pods(app: string): Promise<PodObject[]> {
    return (await this.get<{ items: PodObject[] }>(`pods?labelSelector=app%3D${app}`)).items;
  }

  async pod(name: string): Promise<PodObject> {
    return await this.get(`pods/${name}`);
  }

  /** Waits until a Pod satisfies the condition. */
  async until(
    name: string,
    what: string,
    holds: (pod: PodObject) => boolean,
    deadlineMs = READY_MS,
  ): Promise<PodObject> {
    let last: PodObject | undefined;
    return await eventually(async () => {
      last = await this.pod(name);
      return holds(last) && last;
    }, { what: `pod ${name} to be ${what}`, deadlineMs, explain: () => JSON.stringify(last?.status, null, 1) });
  }

  /** Waits until a Pod is ready. */
  async ready(name: string): Promise<PodObject> {
    return await this.until(name, "ready", isReady);
  }

  /** Waits until this many Pods are ready, and the other ones gone. */
  async readyPods(app: string, count: number): Promise<PodObject[]> {
    return await eventually(async () => {
      const pods = await this.pods(app);
      return pods.length === count && pods.every(isReady) && pods;
    }, { what: `${count} ready pods of ${app}`, deadlineMs: READY_MS });
  }

  /** Waits until a Pod is out of the API. */
  async gone(name: string): Promise<void> {
    await eventually(
      () => this.pod(name).then(() => false, (error) => /404/.test(String(error))),
      { what: `pod ${name} to be gone`, deadlineMs: READY_MS },
    );
  }

  /** All that a container wrote, in all its lives. */
  async logs(name: string, container?: string): Promise<string> {
    return await this.node.logs(this.name(name), container, { all: true });
  }
}

/** Whether a Pod is ready. */
export function isReady({ status }: PodObject): boolean {
  return status.conditions?.find(({ type }) => type === "Ready")?.status === "True";
}

/** What most tests need: shell scripts and an echo server. */
export const IMAGES: Images = { sh: {}, echo: programImage(ECHO_SERVER) };

/** Registers a test with a node. */
export function sceneTest(
  name: string,
  test: (scene: Scene) => Promise<void>,
  options: Partial<NodeOptions> = {},
): void {
  nodeTest(name, async () => {
    const cluster = await sharedControlPlane();
    const namespace = await cluster.namespace("node");
    await using node = await startNode({ controlPlane: cluster, images: IMAGES, namespaces: [namespace], ...options });
    await test(new Scene(cluster, namespace, node));
  });
}

/** A container that runs a script. */
export function script(name: string, text: string, more: Manifest = {}) {
  return { name, image: "sh", command: ["sh", "-c", text], ...more };
}

/** A Pod whose label `app` is its name. */
export function podOf(name: string, spec: Manifest): Manifest {
  return { kind: "Pod", metadata: { name, labels: { app: name } }, spec };
}

/** A container with an echo server on port 8080 ("http"), ready at once. */
export function echo(more: Manifest = {}) {
  return {
    name: "echo",
    image: "echo:1",
    ports: [{ name: "http", containerPort: 8080 }],
    readinessProbe: { httpGet: { path: "/ready", port: "http" }, periodSeconds: 1, failureThreshold: 1 },
    ...more,
  };
}

/** A Deployment, StatefulSet or DaemonSet whose Pods have the label `app` with its name. */
export function workload(kind: string, name: string, spec: Manifest, container: Manifest = echo()): Manifest {
  const labels = { app: name };
  const template = { metadata: { labels }, spec: { containers: [container] } };
  return {
    apiVersion: "apps/v1",
    kind,
    metadata: { name },
    spec: { selector: { matchLabels: labels }, template, ...spec },
  };
}

/** A Service for the Pods with its name as label `app`, from port 80 to "http". */
export function service(name: string, more: Manifest = {}): Manifest {
  return {
    kind: "Service",
    metadata: { name },
    spec: { selector: { app: name }, ports: [{ port: 80, targetPort: "http" }], ...more },
  };
}

/** A script that ends at SIGTERM, as a process must that is the first of its pid namespace. */
export const IDLE = "trap 'exit 0' TERM; while :; do sleep 0.1; done";
