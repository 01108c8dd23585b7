import type { StatusDocument, TypeStatus } from "../../../src/app/admin/mod.ts";
import type { HistoryDocument } from "../../../src/app/documents/mod.ts";
import { askAdmin } from "../../../src/app/admin/client/mod.ts";
import type { Authority } from "../../certificates.ts";
import { eventually, Hopeless } from "./eventually.ts";
import { freePort } from "./free_port.ts";
import { httpGet, type HttpResponse } from "./http_connection.ts";
import type { Fields } from "./manifest.ts";
import { type RunningProcess, startProcess } from "./process.ts";
import { secretTexts } from "./secret_texts.ts";
import { CLI } from "../../program.ts";

/** A manifest: its documents, or its text as it is. */
export type Manifest = readonly Fields[] | string;

/** Options of {@linkcode startStandalone}. */
export interface StandaloneOptions {
  /** Contents of the directory by file name. */
  readonly files: Readonly<Record<string, Manifest>>;
  /** Mutual TLS, with certificates of this authority. */
  readonly authority?: Authority;
  readonly args?: readonly string[];
  /** Where Envoys connect; a free port of the loopback when absent. */
  readonly xdsAddress?: string;
}

/** A real `chancery standalone` with a directory of its own. */
export class RunningStandalone implements AsyncDisposable {
  readonly xdsAddress: string;
  readonly adminPort = freePort();
  process: RunningProcess;
  readonly #folder: string;
  readonly #options: StandaloneOptions;
  readonly #secrets = new Set<string>();
  readonly #earlier: RunningProcess[] = [];

  /** Use {@linkcode startStandalone}. */
  constructor(folder: string, options: StandaloneOptions) {
    this.#folder = folder;
    this.#options = options;
    this.xdsAddress = options.xdsAddress ?? `127.0.0.1:${freePort()}`;
    for (const [name, manifest] of Object.entries(options.files)) this.#put(name, manifest);
    this.process = this.#start();
  }

  /** The directory that is served. */
  get directory(): string {
    return `${this.#folder}/config`;
  }

  /** Writes a manifest as an editor would: the same file, new content. */
  write(name: string, manifest: Manifest): void {
    this.#put(name, manifest);
  }

  /** Deletes a manifest. */
  remove(name: string): void {
    Deno.removeSync(`${this.directory}/${name}`);
  }

  /** One page of the admin interface. */
  async get(path: string): Promise<HttpResponse> {
    return await httpGet({ port: this.adminPort }, path, { host: "127.0.0.1" });
  }

  /** `/status`, parsed. */
  async status(): Promise<StatusDocument> {
    return JSON.parse((await this.get("/status")).body);
  }

  /** What became of an EnvoyConfig and its revisions. */
  async history(name: string): Promise<HistoryDocument> {
    const { status, body } = await this.get(`/history?namespace=default&name=${name}`);
    if (status !== 200) throw new Error(`No history of "${name}": ${body}`);
    return JSON.parse(body);
  }

  /** Holds a version of an EnvoyConfig, or tries the refused one again. */
  async rollback(name: string, action: { readonly pin: string } | { readonly retry: true }): Promise<void> {
    const { config: { uid } } = await this.history(name);
    const socket = { kind: "unix" as const, path: `${this.#folder}/data/admin.sock` };
    await askAdmin(socket, "/rollback", { body: { namespace: "default", name, uid, ...action } });
  }

  /** What `/status` says of the types on the stream of a node, by short name; `undefined` while it has no stream. */
  async typesOf(nodeId: string): Promise<ReadonlyMap<string, TypeStatus> | undefined> {
    const node = (await this.status()).nodes.find((node) => node.nodeId === nodeId);
    const stream = node?.streams.at(-1);
    return stream && new Map(stream.types.map((type) => [type.type, type]));
  }

  /** {@linkcode eventually}, with its log as explanation. */
  async wait<T>(what: string, ask: () => T | Promise<T>): Promise<Exclude<T, undefined | false>> {
    return await eventually(ask, { what, explain: () => this.process.tail() });
  }

  /** Waits until everything is loaded. */
  async ready(): Promise<void> {
    await eventually(async () => {
      if (this.process.ended) throw new Hopeless(`chancery ended with code ${this.process.ended.code}`);
      return (await this.get("/readyz")).status === 200;
    }, { what: "chancery to be ready", explain: () => this.process.tail() });
  }

  /** What `chancery bootstrap` prints for a node. */
  async bootstrap(nodeId: string, mode: "delta" | "sotw"): Promise<Fields> {
    const output = await new Deno.Command(Deno.execPath(), {
      args: [
        ...["run", "--quiet", "--allow-all", CLI, "bootstrap", "--node-id", nodeId, "--mode", mode],
        ...["--xds-address", this.xdsAddress],
        ...(this.#options.authority ? ["--tls-dir", `${this.#folder}/client`] : []),
      ],
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    }).output();
    if (!output.success) throw new Error(`chancery bootstrap: ${new TextDecoder().decode(output.stderr)}`);
    return JSON.parse(new TextDecoder().decode(output.stdout));
  }

  /** `kill -9`. */
  async kill(): Promise<void> {
    await this.process.kill();
  }

  /** Starts it again on the same directories and ports, and waits until it is ready. */
  async start(): Promise<void> {
    this.#earlier.push(this.process);
    this.process = this.#start();
    await this.ready();
  }

  /**
   * Ends it as a service manager would.
   * @throws {Error} when it does not end cleanly, or when a secret that was put into the directory shows in its output or pages
   */
  async stop(): Promise<void> {
    if (this.process.ended) return this.#refuseSecrets([]);
    const pages = await Promise.all(["/status", "/metrics"].map((path) => this.get(path)));
    const { code } = await this.process.stop();
    if (code !== 0) throw new Error(`chancery ended with code ${code} after SIGTERM\n${this.process.tail()}`);
    this.#refuseSecrets(pages.map(({ body }) => body));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      await this.stop();
    } finally {
      await this.process[Symbol.asyncDispose]();
      await Deno.remove(this.#folder, { recursive: true });
    }
  }

  #put(name: string, manifest: Manifest): void {
    const text = typeof manifest === "string" ? manifest : manifest.map((document) => JSON.stringify(document, null, 2))
      .join("\n---\n");
    if (typeof manifest !== "string") {
      for (const document of manifest) for (const secret of secretTexts(document)) this.#secrets.add(secret);
    }
    Deno.writeTextFileSync(`${this.directory}/${name}`, text);
  }

  #start(): RunningProcess {
    const tls = `${this.#folder}/server`;
    return startProcess({
      name: "chancery",
      command: Deno.execPath(),
      args: [
        ...["run", "--quiet", "--allow-all", CLI, "standalone"],
        ...["--config", this.directory, "--data", `${this.#folder}/data`],
        ...["--xds-bind", this.xdsAddress, "--admin-bind", `127.0.0.1:${this.adminPort}`],
        ...(this.#options.authority
          ? ["--tls-cert", `${tls}/tls.crt`, "--tls-key", `${tls}/tls.key`, "--tls-ca", `${tls}/ca.crt`]
          : []),
        ...["--log-level", "debug", "--log-format", "json"],
        ...this.#options.args ?? [],
      ],
    });
  }

  /** I14: no secret leaves by any way but the one it was meant for. */
  #refuseSecrets(pages: readonly string[]): void {
    const said = [...this.#earlier, this.process].flatMap(({ lines }) => lines).concat(pages).join("\n");
    for (const secret of this.#secrets) {
      if (said.includes(secret)) throw new Error(`I14: a secret shows in what chancery says: ${secret.slice(0, 6)}…`);
    }
  }
}

/** Starts a real `chancery standalone` and waits until it is ready. */
export async function startStandalone(options: StandaloneOptions): Promise<RunningStandalone> {
  const folder = await Deno.makeTempDir({ prefix: "chancery-" });
  await Deno.mkdir(`${folder}/config`);
  if (options.authority) {
    await writeTls(`${folder}/server`, options.authority, "xds-server");
    await writeTls(`${folder}/client`, options.authority, "xds-client");
  }
  const standalone = new RunningStandalone(folder, options);
  try {
    await standalone.ready();
    return standalone;
  } catch (error) {
    await standalone.kill();
    await Deno.remove(folder, { recursive: true });
    throw error;
  }
}

async function writeTls(folder: string, authority: Authority, commonName: string): Promise<void> {
  await Deno.mkdir(folder);
  const { cert, key } = await authority.issue({ commonName, dns: [commonName], ips: ["127.0.0.1"] });
  await Deno.writeTextFile(`${folder}/tls.crt`, cert);
  await Deno.writeTextFile(`${folder}/tls.key`, key, { mode: 0o600 });
  await Deno.writeTextFile(`${folder}/ca.crt`, authority.cert);
}
