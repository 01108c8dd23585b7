import { eventually, type Fields } from "../envoy/harness/mod.ts";
import { Chancery } from "../standalone/chancery.ts";
import { Journal } from "./journal.ts";
import { readStore } from "./stored.ts";
import { SmallDisk } from "./small_disk.ts";

/** Clusters that nothing refers to go after this long: a run has no minute for each. */
const ARGS = ["--removal-delay", "300ms"];

/** A standalone with its directory and disk, and a journal of what is done to them. */
export class Site implements AsyncDisposable {
  readonly journal = new Journal();
  readonly chancery: Chancery;
  readonly #disk: SmallDisk | undefined;
  /** What the files are to hold, whatever is done to them meanwhile. */
  readonly #files = new Map<string, string>();
  #alive = false;

  private constructor(chancery: Chancery, disk: SmallDisk | undefined) {
    this.chancery = chancery;
    this.#disk = disk;
  }

  static async open(): Promise<Site> {
    const chancery = new Chancery();
    Deno.mkdirSync(chancery.data, { mode: 0o700 });
    return new Site(chancery, await SmallDisk.mount(chancery.data));
  }

  /** The disk that can be filled, where the machine allows for one. */
  get disk(): SmallDisk | undefined {
    return this.#disk;
  }

  get dir(): string {
    return this.chancery.config;
  }

  path(name: string): string {
    return `${this.dir}/${name}`;
  }

  /** What a file is to hold. */
  text(name: string): string {
    return this.#files.get(name) ?? "";
  }

  /** Decides what a file is to hold. */
  want(name: string, objects: readonly Fields[]): void {
    this.#files.set(name, objects.map((one) => JSON.stringify(one, null, 2)).join("\n---\n"));
  }

  /** Puts a file into place in one step, as editors and deployment tools do. */
  put(name: string): void {
    const next = `${this.chancery.folder}/next`;
    Deno.writeTextFileSync(next, this.text(name));
    Deno.renameSync(next, this.path(name));
  }

  /** Puts all files into place that hold something else. */
  putAll(): void {
    for (const [name, text] of this.#files) {
      if (readIfThere(this.path(name)) !== text) this.put(name);
    }
  }

  /** Starts it, and waits until it is ready unless told not to. */
  async start({ unready = false } = {}): Promise<void> {
    this.journal.add({ kind: "started" });
    this.#alive = true;
    await this.chancery.start({ unready: true, args: ARGS, ...(this.#disk && { wrap: this.#disk.wrap }) });
    if (!unready) await this.ready();
  }

  async ready(): Promise<void> {
    await eventually(async () => {
      if (this.chancery.process.ended) throw new Error(`it ended with code ${this.chancery.process.ended.code}`);
      return (await this.chancery.get("/readyz")).status === 200;
    }, { what: "chancery to be ready", deadlineMs: 30_000, explain: () => this.chancery.process.tail() });
    this.journal.add({ kind: "ready" });
  }

  /** `kill -9`. */
  async kill(): Promise<void> {
    if (!this.#alive) return;
    this.#alive = false;
    await this.chancery.process.kill();
    this.journal.add({ kind: "killed" });
  }

  /** Asks it to end. */
  async stop(): Promise<void> {
    this.#alive = false;
    await this.chancery.process.stop();
    this.journal.add({ kind: "stopped" });
  }

  /** Writes down what is in the database; only while nothing runs. */
  async look(atRest: boolean): Promise<void> {
    this.journal.add({ kind: "store", atRest, ...await readStore(this.#disk?.path ?? this.chancery.data) });
  }

  /** An answer of the admin interface, kept for the search for secrets. */
  async ask(path: string): Promise<Fields> {
    const { body } = await this.chancery.get(path);
    this.journal.add({ kind: "output", source: path, text: body });
    return JSON.parse(body);
  }

  /** Everything that the processes wrote. */
  keepOutput(): void {
    this.journal.add({ kind: "output", source: "log", text: this.chancery.output });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.chancery[Symbol.asyncDispose]();
    await this.#disk?.[Symbol.asyncDispose]();
  }
}

function readIfThere(path: string): string | undefined {
  try {
    return Deno.readTextFileSync(path);
  } catch {
    return undefined;
  }
}
