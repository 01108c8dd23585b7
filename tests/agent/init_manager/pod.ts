import { findEnvoy } from "../../../scripts/envoy/mod.ts";
import { createAuthority } from "../../certificates.ts";
import { eventually, freePort, httpGet, type RunningProcess, startProcess } from "../../envoy/harness/mod.ts";
import { CLI } from "../../program.ts";

/** The files of a pod, as its containers see them, in a folder of this machine. */
export class PodFolder implements AsyncDisposable {
  readonly path: string;

  private constructor(path: string) {
    this.path = path;
  }

  /** With a client certificate and what the server is verified by. */
  static async make(): Promise<PodFolder> {
    const path = await Deno.makeTempDir({ prefix: "pod-" });
    const authority = await createAuthority();
    const { cert, key } = await authority.issue({ commonName: "envoy-sidecar-client-cert" });
    await Deno.mkdir(`${path}/tls`);
    await Deno.mkdir(`${path}/bootstrap`);
    for (const [name, text] of [["tls.crt", cert], ["tls.key", key], ["ca.crt", authority.cert]] as const) {
      await Deno.writeTextFile(`${path}/tls/${name}`, text);
    }
    return new PodFolder(path);
  }

  /** Runs the real init manager; later arguments win. */
  async initialize(
    args: readonly string[],
    env: Readonly<Record<string, string>> = {},
  ): Promise<{ readonly code: number; readonly stderr: string }> {
    const { code, stderr } = await new Deno.Command(Deno.execPath(), {
      args: this.#commandLine(args),
      env: { NO_COLOR: "1", ...env },
      stdin: "null",
    }).output();
    return { code, stderr: new TextDecoder().decode(stderr) };
  }

  /** Starts the real init manager without waiting for its end. */
  start(...args: string[]): RunningProcess {
    return startProcess({ name: "init-manager", command: Deno.execPath(), args: this.#commandLine(args) });
  }

  #commandLine(args: readonly string[]): string[] {
    return [
      ...["run", "--quiet", "--allow-all", CLI, "init-manager", "--config-file", `${this.path}/bootstrap/config.json`],
      ...["--resources-path", `${this.path}/bootstrap`, "--client-certificate-path", `${this.path}/tls`, ...args],
    ];
  }

  /** What the init manager wrote, by file name. */
  async files(): Promise<Record<string, unknown>> {
    const names = await Array.fromAsync(Deno.readDir(`${this.path}/bootstrap`), ({ name }) => name);
    const read = async (name: string) => JSON.parse(await Deno.readTextFile(`${this.path}/bootstrap/${name}`));
    return Object.fromEntries(await Promise.all(names.sort().map(async (name) => [name, await read(name)] as const)));
  }

  /** What the real Envoy says of the bootstrap. */
  async validate(): Promise<{ readonly code: number; readonly text: string }> {
    const { code, stdout, stderr } = await new Deno.Command(await findEnvoy(() => {}), {
      args: ["--mode", "validate", "-c", `${this.path}/bootstrap/config.json`, ...ALONE],
      stdin: "null",
    }).output();
    return { code, text: new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Deno.remove(this.path, { recursive: true });
  }
}

/** Several Envoys on one machine must not take each other for an older self. */
const ALONE = ["--disable-hot-restart", "--service-node", "edge", "--service-cluster", "edge", "--concurrency", "1"];

/** A real Envoy that a real init manager prepared, with its admin interface closed, as in an injected pod. */
export class PodEnvoy implements AsyncDisposable {
  readonly statusPort = freePort();
  readonly adminPort = freePort();
  readonly #folder: PodFolder;
  #process: RunningProcess | undefined;

  private constructor(folder: PodFolder) {
    this.#folder = folder;
  }

  /** Starts it against a discovery service in plain text, `HOST:PORT`. */
  static async start(xds: string, ...args: string[]): Promise<PodEnvoy> {
    const envoy = new PodEnvoy(await PodFolder.make());
    const [host = "", port = ""] = xds.split(":");
    const { code, stderr } = await envoy.#folder.initialize([
      ...["--xdss-host", host, "--xdss-port", port, "--admin-bind-address", `127.0.0.1:${envoy.adminPort}`],
      ...["--status-bind-address", `:${envoy.statusPort}`, ...args],
    ]);
    if (code !== 0) throw new Error(stderr);
    const config = `${envoy.#folder.path}/bootstrap/config.json`;
    // These tests are about readiness; certificates have their own.
    const bootstrap = JSON.parse(await Deno.readTextFile(config));
    delete bootstrap.static_resources.clusters[0].transport_socket;
    await Deno.writeTextFile(config, JSON.stringify(bootstrap));
    const command = await findEnvoy(() => {});
    envoy.#process = startProcess({ name: "envoy", command, args: ["-c", config, ...ALONE] });
    return envoy;
  }

  get process(): RunningProcess {
    if (!this.#process) throw new Error("Envoy was not started");
    return this.#process;
  }

  /** Status and body of an answer on the port that everybody may ask; `refused` when nobody listens. */
  async ask(path: string, port = this.statusPort): Promise<string> {
    try {
      const { status, body } = await httpGet({ port }, path);
      return `${status} ${body.trim()}`;
    } catch {
      return "refused";
    }
  }

  /** What the admin interface itself answers. */
  async admin(path: string): Promise<string> {
    return await this.ask(path, this.adminPort);
  }

  /** Waits for an answer. */
  async answers(path: string, wanted: string, deadlineMs = 60_000): Promise<void> {
    let last = "";
    await eventually(async () => (last = await this.ask(path)) === wanted, {
      what: `"${wanted}" on ${path}`,
      deadlineMs,
      explain: () => `last "${last}"\n${this.process.tail()}`,
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#process?.[Symbol.asyncDispose]();
    await this.#folder[Symbol.asyncDispose]();
  }
}
