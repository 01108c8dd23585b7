import { eventually } from "../../envoy/harness/mod.ts";

/** A group of processes that may have so much memory and no more: what a limit of a container is. */
export class MemoryGroup implements AsyncDisposable {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** `undefined` where the machine does not let us: it takes root, and a memory controller. */
  static make(bytes: number): MemoryGroup | undefined {
    for (const { root, limit } of PLACES) {
      const folder = `${root}/chancery-bench-${Deno.pid}`;
      try {
        Deno.mkdirSync(folder);
        const group = new MemoryGroup(folder);
        try {
          Deno.writeTextFileSync(`${folder}/${limit}`, String(bytes));
          return group;
        } catch {
          Deno.removeSync(folder);
        }
      } catch {
        // the other version, or none
      }
    }
    return undefined;
  }

  /** When its processes have ended; the kernel may take a moment to notice. */
  async [Symbol.asyncDispose](): Promise<void> {
    await eventually(() => Deno.remove(this.folder).then(() => true, () => false), {
      what: `the memory group ${this.folder} to be removed`,
    });
  }
}

const PLACES = [
  { root: "/sys/fs/cgroup/memory", limit: "memory.limit_in_bytes" },
  { root: "/sys/fs/cgroup", limit: "memory.max" },
];
