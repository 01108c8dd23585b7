/** What names on this machine begin with when a node made them. */
const PREFIX = "chancery-node";

/**
 * `chancery-node-PID-START-NUMBER`: the process that made something (its id and the kernel's time of its start, since ids come
 * again) and how many nodes it made before.
 */
export function instanceName(number: number): string {
  return `${PREFIX}-${Deno.pid}-${startOf(Deno.pid)}-${number}`;
}

/** The instance in the name of a namespace or folder of a node whose process has ended; `undefined` for all other names. */
export function deadInstance(name: string): string | undefined {
  const [instance, pid, start] = /^chancery-node-(\d+)-(\d+)-\d+/.exec(name) ?? [];
  return instance !== undefined && startOf(Number(pid)) !== start ? instance : undefined;
}

/** When a process began, in clock ticks since the machine did; `undefined` when there is none of this id. */
function startOf(pid: number): string | undefined {
  try {
    const text = Deno.readTextFileSync(`/proc/${pid}/stat`);
    // The name in parentheses may hold anything; the 20th field behind it is the time.
    return text.slice(text.lastIndexOf(")") + 2).split(" ")[19];
  } catch {
    return undefined;
  }
}
