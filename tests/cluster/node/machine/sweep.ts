import { deadInstance } from "./owner.ts";
import { capture } from "./run.ts";

const NAMESPACES = "/run/netns";

/** The folder in which each node has one of its own. */
export const HOME = Deno.env.get("TMPDIR") ?? "/tmp";

/** Removes what nodes left whose processes were killed before they could. */
export async function sweepDead(): Promise<void> {
  const names = [...await namesIn(NAMESPACES), ...await namesIn(HOME)];
  const dead = new Set(names.map(deadInstance).filter((name) => name !== undefined));
  await Promise.all([...dead].map(sweep));
}

/** Removes all that one node made: processes, network namespaces with their links, files. */
export async function sweep(instance: string): Promise<void> {
  const pods = (await namesIn(NAMESPACES)).filter((name) => name.startsWith(`${instance}-`));
  await Promise.all(pods.map(removeNamespace));
  // Last and alone: the companion, who may be the one who does this, runs its commands in there.
  await removeNamespace(instance);
  await killMounted(`${HOME}/${instance}/`);
  await Deno.remove(`${HOME}/${instance}`, { recursive: true }).catch(ignoreMissing);
}

/** Ends what runs in a network namespace and removes it. */
export async function removeNamespace(name: string): Promise<void> {
  await killWithin(name);
  // The link goes at once; with the namespace it would go when the kernel finds the time.
  await capture(["ip", "-netns", name, "link", "delete", "uplink"]);
  await capture(["ip", "netns", "delete", name]);
}

async function killWithin(namespace: string): Promise<void> {
  for (let alive = true; alive;) {
    const { stdout } = await capture(["ip", "netns", "pids", namespace]);
    // Whoever is asked from within the namespace finds himself and, just ended, the one who answered.
    const pids = stdout.split("\n").filter((line) => line !== "").map(Number).filter((pid) => pid !== Deno.pid);
    alive = pids.map(kill).includes(true);
  }
}

/** Ends whatever container process is in no namespace that has a name (any more): its own layer of files tells whose it is. */
async function killMounted(folder: string): Promise<void> {
  for (const pid of (await namesIn("/proc")).filter((name) => /^\d+$/.test(name))) {
    const mounts = await Deno.readTextFile(`/proc/${pid}/mountinfo`).catch(() => ""); // it has just ended
    if (mounts.includes(`upperdir=${folder}`)) kill(Number(pid));
  }
}

/** Whether there was such a process. */
function kill(pid: number): boolean {
  try {
    Deno.kill(pid, "SIGKILL");
    return true;
  } catch {
    return false;
  }
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return (await Array.fromAsync(Deno.readDir(folder))).map(({ name }) => name);
  } catch (error) {
    ignoreMissing(error);
    return [];
  }
}

function ignoreMissing(error: unknown): void {
  if (!(error instanceof Deno.errors.NotFound)) throw error;
}
