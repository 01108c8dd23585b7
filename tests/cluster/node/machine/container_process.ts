import { asContainer, containerScript, type ContainerSetup } from "./container_script.ts";
import { capture, type CaptureOptions, type CommandResult } from "./run.ts";

/** A running container: a process that is the first of its own pid namespace, so that all others in there go with it. */
export class ContainerProcess {
  /** Of the container's first process, in the machine's count. */
  readonly pid: number;
  /** Its exit code, once it has ended; 128 + N when signal N killed it. */
  readonly ended: Promise<number>;
  readonly #setup: ContainerSetup;
  readonly #namespace: string;
  #gone = false;

  private constructor(pid: number, ended: Promise<number>, setup: ContainerSetup, namespace: string) {
    this.pid = pid;
    this.ended = ended;
    this.#setup = setup;
    this.#namespace = namespace;
    void ended.then(() => this.#gone = true);
  }

  /** Starts a container in a Pod's network namespace. @throws {Error} with the reason when its surroundings cannot be made */
  static async start(setup: ContainerSetup, namespace: string): Promise<ContainerProcess> {
    await Deno.mkdir(setup.scratch, { recursive: true });
    const log = await Deno.open(setup.log, { create: true, append: true });
    log.close();
    const child = new Deno.Command("nsenter", {
      args: [
        `--net=/run/netns/${namespace}`,
        ...["unshare", "--mount", "--pid", "--uts", "--ipc", "--propagation", "private"],
        // The first child of this shell begins the pid namespace. A shell tells of every end; unshare itself hides a SIGKILL.
        ...["sh", "-c", 'sh -c "$0"; exit $?', containerScript(setup)],
      ],
      stdin: "null",
      stdout: "piped",
      stderr: "null",
    }).spawn();
    const pid = await firstLine(child.stdout);
    const { status } = child;
    if (pid === "") {
      await status;
      const text = await Deno.readTextFile(setup.log);
      throw new Error(text.trimEnd().split("\n").at(-1) ?? "the container could not be set up");
    }
    const ended = status.then(({ code }) => code);
    return new ContainerProcess(Number(pid), ended, setup, namespace);
  }

  /** Sends a signal to the container's first process, if it is still there. */
  signal(signal: Deno.Signal): void {
    if (this.#gone) return; // the pid may be another's by now
    try {
      Deno.kill(this.pid, signal);
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
  }

  /** Runs a command beside the container's process, with its rights, variables and folders. */
  async exec(command: readonly string[], options: CaptureOptions = {}): Promise<CommandResult> {
    const { rights, env, workingDir } = this.#setup;
    return await capture([
      "nsenter",
      `--target=${this.pid}`,
      ...["--mount", "--uts", "--ipc", "--pid", `--net=/run/netns/${this.#namespace}`],
      ...["sh", "-c", 'cd "$0" && exec "$@"', workingDir],
      ...asContainer(rights, env, command),
    ], options);
  }
}

/** The first line of a stream, or `""` when it ends before; the rest is not wanted. */
async function firstLine(stream: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<string> {
  let text = "";
  for await (const chunk of stream.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    if (text.includes("\n")) break;
  }
  return text.split("\n")[0] ?? "";
}
