import { capture } from "../cluster/node/machine/run.ts";

/** What a command has printed, both outputs as they came, and how it ended. */
export interface Printed {
  readonly code: number;
  readonly output: string;
}

/** Options of {@linkcode Terminal.open}. */
export interface TerminalOptions {
  /** Folder that it starts in. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Whether it has the loopback to itself, so that every port is free, and nothing else to talk to. */
  readonly alone: boolean;
}

/** What stands before the shell: processes that end with it, and a shared memory that no other Envoy uses. */
function surroundings(alone: boolean): string[] {
  const first = `${alone ? "ip link set lo up && " : ""}mount -t tmpfs tmpfs /dev/shm && exec "$@"`;
  const own = ["--fork", "--pid", "--kill-child", "--mount-proc", ...(alone ? ["--net"] : [])];
  return ["unshare", ...own, "sh", "-ec", first, "sh"];
}

/** Why no terminal can be opened here, or `undefined` when one can. */
export async function terminalSupport(): Promise<string | undefined> {
  if (Deno.build.os !== "linux") return `it takes Linux, this is ${Deno.build.os}`;
  const { code, stderr } = await capture([...surroundings(true), "bash", "-c", "curl --version"])
    .catch((thrown) => ({ code: 1, stderr: String(thrown) }));
  return code === 0 ? undefined : `it takes root, namespaces, bash and curl: ${stderr.trim()}`;
}

/** A shell that somebody types commands into: what one leaves (folder, variables, programs that go on) the next one finds. */
export class Terminal implements AsyncDisposable {
  readonly #child: Deno.ChildProcess;
  readonly #input: WritableStreamDefaultWriter<Uint8Array>;
  readonly #ends: ReadableStreamDefaultReader<string>;
  readonly #folder: string;
  #count = 0;

  private constructor(child: Deno.ChildProcess, folder: string) {
    this.#child = child;
    this.#folder = folder;
    this.#input = child.stdin.getWriter();
    this.#ends = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  }

  static async open({ cwd, env, alone }: TerminalOptions): Promise<Terminal> {
    const [command = "", ...args] = [...surroundings(alone), "bash", "--noprofile", "--norc"];
    const folder = await Deno.makeTempDir({ prefix: "chancery-terminal-" });
    const child = new Deno.Command(command, { args, cwd, env, stdin: "piped", stdout: "piped", stderr: "null" })
      .spawn();
    return new Terminal(child, folder);
  }

  /** Types a command and waits until it has ended. @throws {Error} when the shell ends, or the time has run out */
  async type(command: string, { deadlineMs = 120_000 } = {}): Promise<Printed> {
    const { script, printed } = await this.#script(command);
    await this.#write(`. ${script} >${printed} 2>&1 </dev/null; echo "$?"\n`);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(async () => {
        const output = await Deno.readTextFile(printed).catch(() => "");
        reject(new Error(`${command}\nhas not ended within ${deadlineMs / 1000} s; so far:\n${output}`));
      }, deadlineMs);
    });
    try {
      const { value } = await Promise.race([this.#ends.read(), late]);
      const output = await Deno.readTextFile(printed);
      if (value === undefined) throw new Error(`The shell ended with: ${command}\n${output}`);
      return { code: Number(value), output };
    } finally {
      clearTimeout(timer);
    }
  }

  /** Types a command that goes on, and gives back how to read what it has printed so far. */
  async leave(command: string): Promise<() => Promise<string>> {
    const { script, printed } = await this.#script(command);
    await Deno.writeTextFile(printed, "");
    await this.#write(`. ${script} >${printed} 2>&1 </dev/null &\n`);
    return () => Deno.readTextFile(printed);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#input.close().catch(() => {}); // it may have ended
    // Whoever waits for the end of the first process waits for all: the kernel ends the others with it.
    await this.#child.status;
    await this.#ends.cancel();
    await Deno.remove(this.#folder, { recursive: true });
  }

  async #script(command: string): Promise<{ script: string; printed: string }> {
    const path = `${this.#folder}/${++this.#count}`;
    await Deno.writeTextFile(`${path}.sh`, `${command}\n`);
    return { script: `${path}.sh`, printed: `${path}.txt` };
  }

  async #write(text: string): Promise<void> {
    await this.#input.write(new TextEncoder().encode(text));
  }
}
