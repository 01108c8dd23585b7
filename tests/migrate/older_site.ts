/**
 * A cluster as MARIN3R has it at work: installed, with a DiscoveryService, an EnvoyDeployment, a pod with a sidecar, EnvoyConfigs and
 * revisions as it leaves them, and real Envoys, which have their configuration from a stand-in of its discovery service.
 * @module
 */
import { eventually, type Fields, listener, staticCluster } from "../envoy/harness/mod.ts";
import { type ControlPlane, startControlPlane } from "../cluster/control_plane/mod.ts";
import { ECHO_SERVER, machineProgram, type ProcessNode, programImage, startNode } from "../cluster/node/mod.ts";
import { isReady, type PodObject, Scene } from "../cluster/node/scene.ts";
import { Ground, type TestObject } from "../cluster/operator/ground.ts";
import {
  left,
  leftDiscoveryService,
  leftEnvoyDeployment,
  olderEnvoyPod,
  type OlderGround,
} from "../cluster/operator/older_program.ts";
import { QUICK } from "../cluster/operator/pods.ts";
import { CLI } from "../program.ts";
import { OLDER_CRDS, OLDER_IMAGE, OLDER_PROGRAMS, OLDER_RULES, OLDER_WEBHOOKS } from "./older_manifests.ts";

const KINDS = "marin3r.3scale.net/v1alpha1";
const DEADLINE_MS = 90_000;

/** Where users of MARIN3R are. */
export const SHOP = "shop";
/** Ports on which the Envoys of the EnvoyDeployment and the sidecar listen. */
export const PORTS = { front: 8000, sidecar: 8001 } as const;

/** A version of an EnvoyConfig, as MARIN3R kept it. */
interface OlderRevision {
  readonly version: string;
  readonly resources: readonly Fields[];
  readonly tainted?: boolean;
  readonly publishedAt: string;
}

/** What runs in the pods of MARIN3R's manifests, and in ours. */
async function images() {
  return {
    "chancery": programImage(CLI, { user: 65532 }),
    [OLDER_IMAGE]: programImage(decodeURIComponent(new URL("stand_in.ts", import.meta.url).pathname), { user: 65532 }),
    "envoyproxy/envoy": await machineProgram("envoy"),
    "echo": programImage(ECHO_SERVER),
  };
}

/** What a listener that answers with a text is. */
export function answering(text: string, port: number): Fields {
  return listener("in", { host: "0.0.0.0", port, routes: { text } });
}

/** See above. */
export class OlderSite implements AsyncDisposable {
  readonly cluster: ControlPlane;
  readonly node: ProcessNode;
  readonly scene: Scene;
  readonly ground: Ground;
  readonly #parts: AsyncDisposableStack;
  readonly #path: string;

  private constructor(
    cluster: ControlPlane,
    node: ProcessNode,
    { parts, path }: { parts: AsyncDisposableStack; path: string },
  ) {
    this.cluster = cluster;
    this.node = node;
    this.scene = new Scene(cluster, SHOP, node);
    this.ground = new Ground(cluster, { namespace: SHOP, kubeconfig: cluster.kubeconfig });
    this.#parts = parts;
    this.#path = path;
  }

  static async open(): Promise<OlderSite> {
    await using parts = new AsyncDisposableStack();
    const cluster = parts.use(await startControlPlane());
    const node = parts.use(await startNode({ controlPlane: cluster, images: await images() }));
    const path = await Deno.makeTempDir({ prefix: "migrate-" });
    parts.defer(() => Deno.remove(path, { recursive: true }));
    await program(`${path}/chancery`, [Deno.execPath(), "run", "--quiet", "--no-check", "--allow-all", CLI]);
    await program(`${path}/kubectl`, [cluster.kubectlPath]);
    const site = new OlderSite(cluster, node, { parts: parts.move(), path });
    try {
      await site.#populate();
    } catch (thrown) {
      await site[Symbol.asyncDispose]();
      throw thrown;
    }
    return site;
  }

  /** Types a command, as the cluster's administrator. */
  async type(command: string): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
    const { code, stdout, stderr } = await new Deno.Command("bash", {
      args: ["-o", "pipefail", "-c", command],
      env: {
        ...{ KUBECONFIG: this.cluster.kubeconfig, KUBERC: "off", NO_COLOR: "1" },
        ...{ KUBECACHEDIR: `${this.#path}/cache`, PATH: `${this.#path}:${Deno.env.get("PATH")}` },
      },
      stdin: "null",
    }).output();
    const decoder = new TextDecoder();
    return { code, out: decoder.decode(stdout), err: decoder.decode(stderr) };
  }

  /** MARIN3R's manifests, as users apply them. */
  async applyManifests(objects: readonly object[]): Promise<void> {
    const { code, stderr } = await this.cluster.kubectl(["apply", "-f", "-"], {
      stdin: JSON.stringify({ apiVersion: "v1", kind: "List", items: objects }),
    });
    if (code !== 0) throw new Error(`Cannot apply MARIN3R's manifests: ${stderr}`);
  }

  /** What MARIN3R's operator makes in the namespace, made by requests of `ground`. */
  async operate(ground: OlderGround): Promise<void> {
    const { certificates: [ca] } = await leftDiscoveryService(ground, OLDER_RULES);
    await leftEnvoyDeployment(ground, "front", {
      spec: {
        ...{ replicas: { static: 1 }, shutdownManager: {}, readinessProbe: { ...QUICK, timeoutSeconds: 5 } },
        ports: [{ name: "http", port: PORTS.front }],
      },
      ...{ replicas: 1, ca },
    });
  }

  /** Keeps and publishes a version of an EnvoyConfig, as MARIN3R's discovery service does. */
  async publish(config: string, revision: OlderRevision): Promise<void> {
    const owner = await this.#get(`${KINDS}/envoyconfigs/${config}`);
    const name = `${config}-v3-${revision.version}`;
    await left(this.ground, `${KINDS}/envoyconfigrevisions`, {
      apiVersion: KINDS,
      kind: "EnvoyConfigRevision",
      metadata: {
        name,
        labels: {
          "marin3r.3scale.net/node-id": config,
          "marin3r.3scale.net/envoy-api": "v3",
          "marin3r.3scale.net/config-version": revision.version,
        },
        finalizers: ["finalizer.marin3r.3scale.net"],
        ownerReferences: [{
          ...{ apiVersion: KINDS, kind: "EnvoyConfig", name: config, uid: owner.metadata.uid },
          ...{ controller: true, blockOwnerDeletion: true },
        }],
      },
      spec: { nodeID: config, envoyAPI: "v3", version: revision.version, resources: revision.resources },
    });
    if (!revision.tainted) await this.#unpublish(config, name);
    const condition = (type: string, reason: string) => ({
      ...{ type, reason, status: "True", message: `by ${revision.version}`, lastTransitionTime: revision.publishedAt },
    });
    await this.scene.patch(`${KINDS}/envoyconfigrevisions/${name}/status`, {
      status: {
        ...{ published: !revision.tainted, lastPublishedAt: revision.publishedAt, tainted: revision.tainted ?? false },
        providesVersions: { listeners: revision.version },
        conditions: revision.tainted
          ? [condition("RevisionTainted", "ResourcesFailing")]
          : [condition("RevisionPublished", "VersionPublished"), condition("ResourcesInSync", "ResourcesSynced")],
      },
    });
  }

  /** The objects of a kind in the users' namespace, by name; `plural` as {@linkcode Scene.path} takes it. */
  async objects(plural: string): Promise<ReadonlyMap<string, TestObject>> {
    const { items } = await this.scene.get<{ items: TestObject[] }>(plural);
    return new Map(items.map((one) => [one.metadata.name, one]));
  }

  /** Waits until the only pods with these labels that are to stay are so many, ready, and as wished. */
  async pods(selector: string, count: number, fits: (pod: PodObject) => boolean = () => true): Promise<PodObject[]> {
    let last: PodObject[] = [];
    return await this.until(`${count} pods of ${selector}`, async () => {
      const query = encodeURIComponent(selector);
      const { items } = await this.scene.get<{ items: PodObject[] }>(`pods?labelSelector=${query}`);
      last = items.filter(({ metadata }) => !("deletionTimestamp" in metadata));
      return last.length === count && last.every((pod) => isReady(pod) && fits(pod)) && last;
    });
  }

  /** Waits until this holds; a failure shows what the pods said last. */
  async until<T>(what: string, holds: () => T | Promise<T>): Promise<Exclude<T, undefined | false>> {
    return await eventually(holds, { what, deadlineMs: DEADLINE_MS, explain: () => this.#story() });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#parts.disposeAsync();
  }

  async #story(): Promise<string> {
    const told = this.node.pods.map(async ({ metadata: { namespace = "", name }, status }) => {
      const logs = await this.node.logs({ namespace, name }).catch(String);
      return `── ${namespace}/${name} ${JSON.stringify(status?.containerStatuses)}\n${
        logs.split("\n").slice(-12).join("\n")
      }`;
    });
    return (await Promise.all(told)).join("\n");
  }

  /** Takes the mark off all other revisions of a node id. */
  async #unpublish(nodeId: string, except: string): Promise<void> {
    for (
      const { metadata: { name, labels = {} }, status } of (await this.objects(`${KINDS}/envoyconfigrevisions`))
        .values()
    ) {
      if (labels["marin3r.3scale.net/node-id"] !== nodeId || name === except) continue;
      const conditions = status?.conditions?.filter(({ type }) => type !== "RevisionPublished") ?? [];
      await this.scene.patch(`${KINDS}/envoyconfigrevisions/${name}/status`, {
        status: { published: false, conditions },
      });
    }
  }

  async #get(path: string): Promise<TestObject> {
    return await this.scene.get(path);
  }

  async #populate(): Promise<void> {
    await this.applyManifests([...OLDER_CRDS, ...OLDER_PROGRAMS]);
    await this.cluster.kubectl(["wait", "--for=condition=Established", "--timeout=30s", "crd", "--all"]);
    await this.cluster.kubectl(["create", "namespace", SHOP]);
    await this.#configs();
    await this.operate(this.ground);
    await this.#application();
    await this.pods("app.kubernetes.io/component=discovery-service", 1);
    await this.pods("app.kubernetes.io/component=envoy-deployment", 1);
    await this.pods("app=app", 1);
    await this.applyManifests(OLDER_WEBHOOKS);
  }

  /** One that is as its user wants it, after two earlier versions, and one that is not: what it says was refused. */
  async #configs(): Promise<void> {
    const { front, sidecar } = PORTS;
    const good = [
      listener("in", { host: "0.0.0.0", port: sidecar, routes: { cluster: "app" } }),
      staticCluster("app", [8080]),
    ];
    await this.#config("edge", [
      { version: "5b7d8cf44", resources: [answering("first", front)], publishedAt: "2024-11-08T12:00:00Z" },
      { version: "6f9c4b7d8", resources: [answering("second", front)], publishedAt: "2024-11-08T13:00:00Z" },
      { version: "85cdf4df4", resources: [answering("as in MARIN3R", front)], publishedAt: "2024-11-08T14:00:00Z" },
    ]);
    await this.#config("app", [
      { version: "76bc4f9d5", resources: good, publishedAt: "2024-11-08T12:00:00Z" },
      {
        version: "9d8f6c5b4",
        resources: [listener("in", { host: "0.0.0.0", port: sidecar, routes: { cluster: "nowhere" } })],
        ...{ publishedAt: "2024-11-08T13:00:00Z", tainted: true },
      },
    ]);
  }

  async #config(name: string, revisions: readonly OlderRevision[]): Promise<void> {
    const desired = revisions.at(-1)!; // there are some
    const published = revisions.findLast(({ tainted }) => !tainted)!; // one of them was good
    const metadata = { name, namespace: SHOP, labels: { team: "edge" } };
    const spec = { nodeID: name, envoyAPI: "v3", resources: desired.resources };
    await this.applyManifests([{ apiVersion: KINDS, kind: "EnvoyConfig", metadata, spec }]);
    for (const revision of revisions) await this.publish(name, revision);
    const kept = await this.objects(`${KINDS}/envoyconfigrevisions`);
    await this.scene.patch(`${KINDS}/envoyconfigs/${name}/status`, {
      status: {
        cacheState: published === desired ? "InSync" : "Rollback",
        ...{ desiredVersion: desired.version, publishedVersion: published.version },
        revisions: revisions.map(({ version }) => ({
          version,
          ref: {
            ...{ apiVersion: KINDS, kind: "EnvoyConfigRevision", name: `${name}-v3-${version}`, namespace: SHOP },
            uid: kept.get(`${name}-v3-${version}`)!.metadata.uid, // just made
          },
        })),
        conditions: published === desired ? [] : [{
          ...{ type: "CacheOutOfSync", status: "True", reason: "CantPublishDesiredVersion", message: "It was refused" },
          lastTransitionTime: "2024-11-08T13:00:30Z",
        }],
      },
    });
  }

  /** A pod as MARIN3R's webhook has left it, and the ReplicaSet that it belongs to, whose next one today's webhook is asked about. */
  async #application(): Promise<void> {
    const labels = { app: "app", "marin3r.3scale.net/status": "enabled" };
    const annotations = { "marin3r.3scale.net/node-id": "app", "marin3r.3scale.net/ports": `http:${PORTS.sidecar}` };
    const echo = { name: "echo", image: "echo:1" };
    const { containers: [envoy], initContainers, volumes } = olderEnvoyPod(SHOP, {
      ...{ secret: "envoy-sidecar-client-cert", nodeId: "app", container: "envoy-sidecar", port: PORTS.sidecar },
    });
    const { lifecycle: _, ...alone } = envoy as Record<string, unknown>; // it has no shutdown manager
    await this.scene.create(
      {
        kind: "Pod",
        metadata: { name: "app", labels, annotations },
        spec: { containers: [echo, alone], initContainers, volumes },
      },
      {
        apiVersion: "apps/v1",
        kind: "ReplicaSet",
        metadata: { name: "app" },
        spec: {
          ...{ replicas: 1, selector: { matchLabels: { app: "app" } } },
          template: { metadata: { labels, annotations }, spec: { containers: [echo] } },
        },
      },
    );
  }
}

/** A program in a folder of PATH that starts another one. */
async function program(path: string, words: readonly string[]): Promise<void> {
  const quoted = words.map((word) => `'${word}'`).join(" ");
  await Deno.writeTextFile(path, `#!/bin/sh\nexec ${quoted} "$@"\n`, { mode: 0o755 });
}
