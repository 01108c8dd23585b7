/**
 * Where a user's scenario is played: a namespace of a real API server with replicas of the discovery service that serve it, and the
 * webhook that reviews it. What users bring along lies as it is in `manifests/` and is applied by a real kubectl.
 * @module
 */
import type { EnvoyConfigRevisionStatus, EnvoyConfigStatus } from "../../../src/api/mod.ts";
import { parseYaml } from "../../../src/base/yaml/mod.ts";
import { eventually, type Fields, httpGet, type RunningEnvoy, startEnvoy } from "../../envoy/harness/mod.ts";
import type { CommandResult } from "../control_plane/mod.ts";
import { WebhookSite } from "../webhook/webhook_site.ts";
import type { Replica } from "../discovery_service/replica.ts";
import { openSite, type Site } from "../discovery_service/site.ts";

const MANIFESTS = new URL("manifests/", import.meta.url);
const GROUP = "/apis/marin3r.3scale.net/v1alpha1";

/** Ports of this machine in the place of those that a manifest names. */
export type Ports = Readonly<Record<number, number>>;

/** What the API server stores, as far as scenarios look at it. */
export interface Stored<Status> {
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly generation: number;
    readonly labels?: Readonly<Record<string, string>>;
    readonly finalizers?: readonly string[];
    readonly ownerReferences?: readonly Fields[];
  };
  readonly spec: Fields;
  readonly status?: Status;
}

/** An EnvoyConfig. */
export type StoredConfig = Stored<EnvoyConfigStatus>;
/** An EnvoyConfigRevision. */
export type StoredRevision = Stored<EnvoyConfigRevisionStatus>;

/** The text of a manifest. Every port in it that a process here listens on or connects to has to be given. */
export async function manifest(name: string, ports: Ports = {}): Promise<string> {
  const text = await Deno.readTextFile(new URL(`${name}.yaml`, MANIFESTS));
  return text.replace(/(port_value"?: ?)(\d+)/g, (_, words, port) => {
    const own = ports[Number(port)];
    if (own === undefined) throw new Error(`Cannot use manifest ${JSON.stringify(name)}: no port is given for ${port}`);
    return `${words}${own}`;
  });
}

/** See above. */
export class Stage implements AsyncDisposable {
  readonly site: Site;
  readonly webhook: WebhookSite | undefined;
  readonly replicas: readonly Replica[];
  readonly #parts: AsyncDisposableStack;

  constructor(
    site: Site,
    { webhook, replicas, parts }: {
      webhook: WebhookSite | undefined;
      replicas: readonly Replica[];
      parts: AsyncDisposableStack;
    },
  ) {
    this.site = site;
    this.webhook = webhook;
    this.replicas = replicas;
    this.#parts = parts;
  }

  get namespace(): string {
    return this.site.namespace;
  }

  /** Real kubectl in the namespace. */
  async kubectl(...args: string[]): Promise<CommandResult> {
    return await this.site.cluster.kubectl(["-n", this.namespace, ...args]);
  }

  /** `kubectl apply -f -`, as a user types it; whatever comes of it. */
  async tryApply(yaml: string, ...args: string[]): Promise<CommandResult> {
    this.site.mustNotShow(...parseYaml(yaml, "manifest").documents.map(({ value }) => value as Fields));
    return await this.site.cluster.kubectl(["-n", this.namespace, "apply", "-f", "-", ...args], { stdin: yaml });
  }

  /** The same, which has to succeed. Gives back the warnings. */
  async apply(yaml: string): Promise<readonly string[]> {
    const { code, stderr } = await this.tryApply(yaml);
    if (code !== 0) throw new Error(`Cannot apply: ${stderr}`);
    return stderr.trimEnd().split("\n").filter((line) => line !== "");
  }

  async config(name: string): Promise<StoredConfig> {
    return await this.get(`${GROUP}/namespaces/${this.namespace}/envoyconfigs/${name}`) as StoredConfig;
  }

  /** Revisions of a node id as people find them, by label, in the order of their names. */
  async revisions(nodeId: string): Promise<readonly StoredRevision[]> {
    const selector = encodeURIComponent(`marin3r.3scale.net/node-id=${nodeId}`);
    const path = `${GROUP}/namespaces/${this.namespace}/envoyconfigrevisions?labelSelector=${selector}`;
    return (await this.get(path) as { items: StoredRevision[] }).items;
  }

  async get(path: string): Promise<unknown> {
    return await this.site.cluster.request("GET", path);
  }

  /** Waits until an EnvoyConfig is as wanted. */
  async until(
    name: string,
    what: string,
    holds: (status: EnvoyConfigStatus, config: StoredConfig) => boolean,
  ): Promise<EnvoyConfigStatus> {
    let last: StoredConfig | undefined;
    return await eventually(async () => {
      last = await this.config(name);
      const { status = {}, metadata } = last;
      return status.observedGeneration === metadata.generation && holds(status, last) && status;
    }, {
      what: `EnvoyConfig "${name}" to be ${what}`,
      deadlineMs: 30_000,
      explain: () => `${JSON.stringify(last?.status, null, 1)}\n${this.tail()}`,
    });
  }

  /** Waits until all connected Envoys have taken what the spec says. */
  async accepted(name: string): Promise<string> {
    const { publishedVersion } = await this.until(name, "in sync and accepted", (status) => {
      const { cacheState, desiredVersion, publishedVersion, clients } = status;
      return cacheState === "InSync" && publishedVersion === desiredVersion &&
        clients !== undefined && clients.connected > 0 && clients.accepted === clients.connected;
    });
    return publishedVersion!; // just compared
  }

  /** Waits until that has lasted and no replica can say otherwise: with replicas that no Envoy is at this takes 12 s. */
  async acknowledged(name: string): Promise<string> {
    const { acknowledgedVersion } = await this.until(name, "in sync and acknowledged", (status) => {
      const { cacheState, desiredVersion, publishedVersion, acknowledgedVersion } = status;
      return cacheState === "InSync" && publishedVersion === desiredVersion && acknowledgedVersion === desiredVersion;
    });
    return acknowledgedVersion!; // just compared
  }

  /** Waits for a body, or a status, on a port of this machine. */
  async answers(
    port: number,
    expected: string | number,
    { path = "/", host = "test" }: { path?: string; host?: string } = {},
  ): Promise<void> {
    let last = "";
    await eventually(async () => {
      const { status, body } = await httpGet({ port }, path, { host });
      last = `${status} ${body}`;
      return (typeof expected === "number" ? status === expected : status === 200 && body === expected);
    }, {
      what: `${JSON.stringify(expected)} from ${host}:${port}${path}`,
      deadlineMs: 30_000,
      explain: () => `last answer: ${last}\n${this.tail()}`,
    });
  }

  /** An Envoy with the bootstrap that `chancery bootstrap` prints, connected by mutual TLS. */
  async envoy(nodeId: string, mode: "delta" | "sotw" = "delta"): Promise<RunningEnvoy> {
    return await this.site.envoy(nodeId, this.replicas, { mode });
  }

  /** An Envoy with a bootstrap of its own. */
  async envoyOf(bootstrap: Fields): Promise<RunningEnvoy> {
    return this.#parts.use(await startEnvoy({ bootstrap }));
  }

  /** Ends it with the stage. */
  use<T extends AsyncDisposable>(part: T): T {
    return this.#parts.use(part);
  }

  /** All that people and machines are told: objects and Events, logs, metrics and the status page. */
  async everythingTold(): Promise<string> {
    const pages = await Promise.all(
      this.replicas.map(async (replica) => [await replica.metrics(), JSON.stringify(await replica.status())]),
    );
    const { stdout } = await this.kubectl("get", "ec,ecr,events", "-o", "yaml", "--show-managed-fields");
    const logs = [...this.replicas.map(({ output }) => output), ...this.webhook?.webhook.process.lines ?? []];
    return [stdout, ...logs, ...pages.flat()].join("\n");
  }

  tail(): string {
    return this.replicas.map(({ process }) => process.tail(15)).join("\n");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#parts.disposeAsync();
  }
}

/** Options of {@linkcode openStage}. */
export interface StageOptions {
  /** How many replicas of the discovery service run; default 1. */
  readonly replicas?: number;
  /** Whether the webhook runs; default true. */
  readonly webhook?: boolean;
  readonly args?: readonly string[];
}

/** Makes a namespace, starts everything in it and waits until it is ready. */
export async function openStage({ replicas = 1, webhook = true, args = [] }: StageOptions = {}): Promise<Stage> {
  await using opening = new AsyncDisposableStack();
  const site = opening.use(await openSite());
  const made = Array.from({ length: replicas }, (_, index) => site.replica(`xds-${index}`, { args }));
  const reviewer = webhook ? opening.use(await WebhookSite.make(site)) : undefined;
  const started = await Promise.allSettled([...made.map((replica) => replica.start()), reviewer?.open()]);
  for (const one of started) if (one.status === "rejected") throw one.reason;
  return new Stage(site, { webhook: reviewer, replicas: made, parts: opening.move() });
}
