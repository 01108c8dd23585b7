/**
 * A namespace with ConfigMaps, loaders that may do there what the original could and nothing else, and Envoys that read what
 * the loaders write. Everything is gone with the scope.
 * @module
 */
import {
  eventually,
  type Fields,
  Hopeless,
  httpGet,
  type RunningEnvoy,
  type RunningProcess,
  startEnvoy,
  startProcess,
} from "../../envoy/harness/mod.ts";
import { freePort } from "../../envoy/harness/mod.ts";
import { type ControlPlane, type PolicyRule, sharedControlPlane } from "../control_plane/mod.ts";
import { bootstrap } from "./xds.ts";
import { CLI } from "../../program.ts";

/** The ConfigMap that most tests use. */
export const NAME = "envoy-xds";

/** What the original was given at least. */
export function rules(names: readonly string[], verbs: readonly string[] = ["get", "watch"]): PolicyRule[] {
  return [{ apiGroups: [""], resources: ["configmaps"], resourceNames: names, verbs }];
}

/** A loader that runs. */
export class RunningLoader implements AsyncDisposable {
  readonly process: RunningProcess;
  readonly port: number;

  constructor(process: RunningProcess, port: number) {
    this.process = process;
    this.port = port;
  }

  /** Waits until everything is in place. */
  async ready(): Promise<void> {
    await this.wait("the loader to be ready", async () => {
      if (this.process.ended) throw new Hopeless(`it ended with code ${this.process.ended.code}`);
      return (await this.probe("/readyz")).status === 200;
    }, 40_000);
  }

  async probe(path: string): Promise<{ status: number; body: string }> {
    return await httpGet({ port: this.port }, path, { host: "127.0.0.1" });
  }

  /** The log lines that hold this message. */
  logged(message: string): Fields[] {
    return this.process.lines.filter((line) => line.startsWith("{")).map((line) => JSON.parse(line) as Fields)
      .filter((line) => line["message"] === message);
  }

  async wait<T>(what: string, ask: () => T | Promise<T>, deadlineMs = 30_000): Promise<Exclude<T, undefined | false>> {
    return await eventually(ask, { what, deadlineMs, explain: () => this.process.tail(40) });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.process[Symbol.asyncDispose]();
  }
}

/** See above. */
export class LoaderScene implements AsyncDisposable {
  readonly cluster: ControlPlane;
  readonly namespace: string;
  readonly folder: string;
  /** What the loader writes to. */
  readonly root: string;
  readonly #parts = new AsyncDisposableStack();
  readonly #loaders: RunningLoader[] = [];
  readonly #tokens: string[] = [];

  /** Use {@linkcode openLoaderScene}. */
  constructor(cluster: ControlPlane, namespace: string, folder: string) {
    this.cluster = cluster;
    this.namespace = namespace;
    this.folder = folder;
    this.root = `${folder}/runtime`;
  }

  get tokenFile(): string {
    return `${this.folder}/token`;
  }

  /** Puts a new token where the loader reads it, as the kubelet does. */
  async rotateToken(lifetimeSeconds?: number): Promise<void> {
    const token = await this.cluster.token(this.namespace, "loader", lifetimeSeconds);
    this.#tokens.push(token);
    await Deno.writeTextFile(`${this.tokenFile}.new`, token);
    await Deno.rename(`${this.tokenFile}.new`, this.tokenFile);
  }

  /** Creates a ConfigMap, or replaces what it holds. */
  async put(data: Readonly<Record<string, string>>, name = NAME, more: Fields = {}): Promise<void> {
    const path = `/api/v1/namespaces/${this.namespace}/configmaps/${name}?fieldManager=test&force=true`;
    const body = {
      apiVersion: "v1",
      kind: "ConfigMap",
      data,
      ...more,
      metadata: { name, ...more["metadata"] as Fields },
    };
    await this.cluster.request("PATCH", path, body, "application/apply-patch+yaml");
  }

  async remove(name = NAME): Promise<void> {
    await this.cluster.request("DELETE", `/api/v1/namespaces/${this.namespace}/configmaps/${name}`);
  }

  /** The command line of a loader of this scene. */
  args(more: readonly string[], server = this.cluster.server): string[] {
    return [
      ...[
        "run",
        "--quiet",
        "--allow-all",
        "--no-check",
        CLI,
        "loader",
        "-apiserver",
        server,
        "-token-file",
        this.tokenFile,
      ],
      ...["--ca-file", `${this.folder}/ca.crt`, "-output-dir", this.root, "-namespace", this.namespace],
      ...["--log-format", "json", ...more],
    ];
  }

  /** Runs a loader to its end. */
  async once(more: readonly string[], server?: string): Promise<{ code: number; stdout: string; stderr: string }> {
    const output = await new Deno.Command(Deno.execPath(), {
      args: this.args(more, server),
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    }).output();
    const decoder = new TextDecoder();
    const [stdout, stderr] = [decoder.decode(output.stdout), decoder.decode(output.stderr)];
    this.#mustNotShow(stdout + stderr);
    return { code: output.code, stdout, stderr };
  }

  /** Starts a loader that goes on. */
  start(more: readonly string[] = ["-configmap", NAME, "-watch"], server?: string): RunningLoader {
    const port = freePort();
    const at = `127.0.0.1:${port}`;
    const process = startProcess({
      name: "loader",
      command: Deno.execPath(),
      args: this.args(["--health-probe-bind-address", at, "--metrics-bind-address", at, ...more], server),
    });
    const loader = this.#parts.use(new RunningLoader(process, port));
    this.#loaders.push(loader);
    return loader;
  }

  /** An Envoy that reads what the loader writes. */
  async envoy(watched?: string): Promise<RunningEnvoy> {
    return this.#parts.use(await startEnvoy({ bootstrap: bootstrap(this.root, watched), drainSeconds: 2 }));
  }

  /** A file that the loader put in place. */
  async file(path: string): Promise<string> {
    return await Deno.readTextFile(`${this.root}/current/${path}`);
  }

  /** Paths of all files in place, sorted. */
  async files(): Promise<string[]> {
    const found: string[] = [];
    const current = `${this.root}/current`;
    for await (const { name, isDirectory } of Deno.readDir(current)) {
      if (!isDirectory) found.push(name);
      else for await (const { name: inner } of Deno.readDir(`${current}/${name}`)) found.push(`${name}/${inner}`);
    }
    return found.sort();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#parts.disposeAsync();
    await Deno.remove(this.folder, { recursive: true });
    await this.cluster.request("DELETE", `/api/v1/namespaces/${this.namespace}`).catch(() => {}); // it may be down for good
    for (const { process } of this.#loaders) this.#mustNotShow(process.lines.join("\n"));
  }

  #mustNotShow(said: string): void {
    for (const token of this.#tokens) {
      if (said.includes(token) || said.includes(token.split(".")[2]!)) {
        throw new Error("a token shows in what the loader says");
      }
    }
  }
}

/** Makes a namespace, and an account that may do what the rules say. */
export async function openLoaderScene(
  options: { readonly cluster?: ControlPlane; readonly rules?: readonly PolicyRule[] } = {},
): Promise<LoaderScene> {
  const cluster = options.cluster ?? await sharedControlPlane();
  const namespace = await cluster.namespace("loader");
  await cluster.serviceAccount(namespace, "loader", options.rules ?? rules([NAME]));
  const folder = await Deno.makeTempDir({ prefix: "chancery-loader-" });
  await Deno.writeTextFile(`${folder}/ca.crt`, cluster.ca);
  const scene = new LoaderScene(cluster, namespace, folder);
  await scene.rotateToken();
  return scene;
}
