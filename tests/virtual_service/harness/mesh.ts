import {
  eventually,
  type Fields,
  type Manifest,
  type RunningEnvoy,
  type RunningStandalone,
  startEnvoy,
  startStandalone,
} from "../../envoy/harness/mod.ts";
import { originalBootstrap } from "./original_bootstrap.ts";

/** A pod with an Envoy in it: its name in namespace `default`, and its UID where it has the bootstrap of the original. */
export interface MeshEnvoyOptions {
  readonly pod: string;
  /** Absent: the bootstrap of `chancery bootstrap`, which names the pod. */
  readonly uid?: string;
}

/** Options of {@linkcode startMesh}. */
export interface MeshOptions {
  /** Contents of the directory by file name. */
  readonly files: Readonly<Record<string, Manifest>>;
  readonly envoys: readonly MeshEnvoyOptions[];
}

/** A `chancery standalone` and the Envoys of some pods. */
export class Mesh implements AsyncDisposable {
  readonly chancery: RunningStandalone;
  readonly #envoys = new Map<string, RunningEnvoy>();

  /** Use {@linkcode startMesh}. */
  constructor(chancery: RunningStandalone) {
    this.chancery = chancery;
  }

  /** The Envoy of a pod. */
  envoy(pod: string): RunningEnvoy {
    const envoy = this.#envoys.get(pod);
    if (!envoy) throw new Error(`no Envoy was started for the pod "${pod}"`);
    return envoy;
  }

  /** Starts the Envoy of a pod and waits until it has its first configuration. */
  async start({ pod, uid }: MeshEnvoyOptions): Promise<RunningEnvoy> {
    const bootstrap = uid === undefined ? await this.#ourBootstrap(pod) : originalBootstrap(uid, this.chancery);
    const envoy = await startEnvoy({ bootstrap });
    this.#envoys.set(pod, envoy);
    await this.wait(`the Envoy of "${pod}" to have its first configuration`, () => envoy.ready());
    return envoy;
  }

  /** Addresses of the hosts that the Envoy of a pod has in a cluster, and whether each may be sent to. */
  async hosts(pod: string, cluster: string): Promise<Map<string, boolean>> {
    const flags = (await this.envoy(pod).admin("/clusters")).matchAll(/^(.+)::([\d.]+):\d+::health_flags::(.*)$/gm);
    return new Map(
      [...flags].filter(([, name]) => name === cluster).map(([, , address, flag]) => [address!, flag === "healthy"]),
    );
  }

  /** {@linkcode eventually}, with the ends of all logs as explanation. */
  async wait<T>(what: string, ask: () => T | Promise<T>): Promise<Exclude<T, undefined | false>> {
    const explain = () => [this.chancery, ...this.#envoys.values()].map(({ process }) => process.tail(15)).join("\n");
    return await eventually(ask, { what, deadlineMs: 40_000, explain });
  }

  /** As an injected sidecar has it: it names its pod. */
  async #ourBootstrap(pod: string): Promise<Fields> {
    const bootstrap = await this.chancery.bootstrap(`node-of-${pod}`, "delta");
    const node = { ...bootstrap["node"] as Fields, metadata: { pod_name: pod, pod_namespace: "default" } };
    return { ...bootstrap, node };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const envoy of this.#envoys.values()) await envoy[Symbol.asyncDispose]();
    await this.chancery[Symbol.asyncDispose]();
  }
}

/** Starts a {@linkcode Mesh}. */
export async function startMesh({ files, envoys }: MeshOptions): Promise<Mesh> {
  const mesh = new Mesh(await startStandalone({ files }));
  try {
    for (const envoy of envoys) await mesh.start(envoy);
    return mesh;
  } catch (error) {
    await mesh[Symbol.asyncDispose]();
    throw error;
  }
}
