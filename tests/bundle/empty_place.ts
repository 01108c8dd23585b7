import { type RunningProcess, startProcess } from "../envoy/harness/mod.ts";
import { PROGRAM_UNDER_TEST } from "../program.ts";

const TOP = decodeURIComponent(new URL("../../", import.meta.url).pathname);

/** A command that ended. */
export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** What a command is given besides its words. */
interface Given {
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * `chancery.js` where there is nothing else: an empty folder to start in, a home and a cache of Deno of its own, no variable of ours, and
 * a Deno that neither fetches nor looks for any library. Everything is gone with the scope.
 */
export class EmptyPlace implements AsyncDisposable {
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** With the bundle that tests are run on, or a new one. */
  static async make(): Promise<EmptyPlace> {
    const place = new EmptyPlace(await Deno.makeTempDir({ prefix: "chancery-bundle-" }));
    try {
      for (const name of ["empty", "home", "files"]) await Deno.mkdir(`${place.#folder}/${name}`);
      const made = Deno.env.get(PROGRAM_UNDER_TEST);
      if (made === undefined) await bundle(place.#program);
      else await Deno.copyFile(made, place.#program);
      return place;
    } catch (error) {
      await place[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Path of a file for commands to read or write, away from where they start. */
  path(name: string): string {
    return `${this.#folder}/files/${name}`;
  }

  /** Writes a file, and the folders that it is in; gives its path. */
  write(name: string, content: string | readonly object[]): string {
    const path = this.path(name);
    Deno.mkdirSync(path.slice(0, path.lastIndexOf("/")), { recursive: true });
    const text = typeof content === "string" ? content : content.map((one) => JSON.stringify(one)).join("\n---\n");
    Deno.writeTextFileSync(path, text, { mode: 0o600 });
    return path;
  }

  /** Runs a command to its end. */
  async run(words: readonly string[], { stdin = "", env = {} }: Given = {}): Promise<Ended> {
    const child = new Deno.Command(Deno.execPath(), {
      args: this.#commandLine(words),
      cwd: `${this.#folder}/empty`,
      clearEnv: true,
      env: { ...this.#env, ...env },
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    const writer = child.stdin.getWriter();
    await writer.write(new TextEncoder().encode(stdin)).catch(() => {}); // it may have ended without reading
    await writer.close().catch(() => {});
    const { code, stdout, stderr } = await child.output();
    const decoder = new TextDecoder();
    return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
  }

  /** Runs a command that has to succeed without a warning, and gives what it printed. */
  async output(words: readonly string[], given: Given = {}): Promise<string> {
    const { code, stdout, stderr } = await this.run(words, given);
    if (code !== 0 || stderr !== "") throw new Error(`${words[0]} ended with ${code}: ${stderr}${stdout}`);
    return stdout;
  }

  /** Starts a role. */
  start(words: readonly string[], { env = {} }: Pick<Given, "env"> = {}): RunningProcess {
    return startProcess({
      name: words[0]!,
      command: Deno.execPath(),
      args: this.#commandLine(words),
      env: { ...this.#env, ...env },
      clearEnv: true,
      cwd: `${this.#folder}/empty`,
    });
  }

  /** What is there now of what was empty: files where the program was started, at home, and libraries that Deno holds. */
  leftovers(): string[] {
    return ["empty", "home", "deno/npm", "deno/remote", "deno/deps"].flatMap((name) => [
      ...filesBelow(`${this.#folder}/${name}`),
    ]);
  }

  get #program(): string {
    return `${this.#folder}/chancery.js`;
  }

  get #env(): Record<string, string> {
    // Nobody listens there.
    const registry = { NPM_CONFIG_REGISTRY: "http://127.0.0.1:1", JSR_URL: "http://127.0.0.1:1" };
    return { NO_COLOR: "1", HOME: `${this.#folder}/home`, DENO_DIR: `${this.#folder}/deno`, ...registry };
  }

  #commandLine(words: readonly string[]): string[] {
    return ["run", "--quiet", "--no-remote", "--no-npm", "--cached-only", "--allow-all", this.#program, ...words];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Deno.remove(this.#folder, { recursive: true });
  }
}

/** `deno task bundle PATH`. */
async function bundle(path: string): Promise<void> {
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--quiet", "--allow-read", "--allow-write", "--allow-run", "scripts/bundle.ts", path],
    cwd: TOP,
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).output();
  if (!success) throw new Error(`Cannot bundle the program: ${new TextDecoder().decode(stderr)}`);
}

function* filesBelow(folder: string): Generator<string> {
  let entries: Deno.DirEntry[];
  try {
    entries = [...Deno.readDirSync(folder)];
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return;
    throw error;
  }
  for (const { name, isDirectory } of entries) {
    if (isDirectory) yield* filesBelow(`${folder}/${name}`);
    else yield `${folder}/${name}`;
  }
}
