/**
 * A tiny file system for the data directory, which outlives the processes that use it. A holder keeps it in a name space of its
 * own; programs enter that one.
 * @module
 */

/** A mounted disk of one directory. */
export class SmallDisk implements AsyncDisposable {
  /** Put before the words of a program that is to see the disk. */
  readonly wrap: readonly string[];
  /** The directory on the disk, seen from outside. */
  readonly path: string;
  readonly #holder: Deno.ChildProcess;

  private constructor(holder: Deno.ChildProcess, directory: string) {
    this.#holder = holder;
    this.wrap = ["nsenter", "-t", `${holder.pid}`, "-U", "-m", "--preserve-credentials"];
    this.path = `/proc/${holder.pid}/root${directory}`;
  }

  /** Mounts it; `undefined` on machines that do not let their users do so. */
  static async mount(directory: string, megabytes = 4): Promise<SmallDisk | undefined> {
    const script = `mount -t tmpfs -o size=${megabytes}m,mode=700 tmpfs "$0" && echo mounted && exec cat`;
    const command = new Deno.Command("unshare", {
      args: ["--user", "--map-root-user", "--mount", "sh", "-c", script, directory],
      stdin: "piped", // which ends with this process, and the holder with it
      stdout: "piped",
      stderr: "null",
    });
    let holder: Deno.ChildProcess;
    try {
      holder = command.spawn();
    } catch {
      return undefined; // there is no such program
    }
    const reader = holder.stdout.getReader();
    const { value } = await reader.read();
    await reader.cancel();
    const disk = new SmallDisk(holder, directory);
    const works = value !== undefined && await disk.#enters();
    if (works) return disk;
    await disk[Symbol.asyncDispose]();
    return undefined;
  }

  async #enters(): Promise<boolean> {
    const [command = "", ...args] = [...this.wrap, "true"];
    const ended = await new Deno.Command(command, { args, stderr: "null" }).output().catch(() => undefined);
    return ended?.success === true;
  }

  /** Writes until nothing more fits. */
  fill(): void {
    using file = Deno.openSync(`${this.path}/filler`, { write: true, create: true });
    for (const size of [65536, 4096, 1]) {
      const block = new Uint8Array(size);
      try {
        for (;;) if (file.writeSync(block) < size) break;
      } catch {
        // no space is left, which is what is wanted
      }
    }
  }

  free(): void {
    Deno.removeSync(`${this.path}/filler`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      this.#holder.kill("SIGKILL");
    } catch {
      // ended already
    }
    await this.#holder.stdin.close().catch(() => {});
    await this.#holder.status;
  }
}
