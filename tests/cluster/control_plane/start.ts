import { type Component } from "./component.ts";
import { ask, controlSocket } from "./control_socket.ts";
import { findExecutables } from "./executables.ts";
import type { Plan } from "./supervisor.ts";

/** How to start a control plane. */
export interface ControlPlaneOptions {
  /** Default: all for which there is an executable. */
  readonly components?: readonly Component[];
  /** Added behind our own, so that they win. */
  readonly apiserverFlags?: readonly string[];
  readonly controllerManagerFlags?: readonly string[];
  readonly etcdFlags?: readonly string[];
  /** Whether the API server writes `audit.log`: every change of our own kinds with its content. Default false. */
  readonly audit?: boolean;
  /** Where progress of a first build goes. Default: standard error. */
  readonly log?: (line: string) => void;
}

const SUPERVISOR_PROBE_MS = 20;
const PREFIX = "chancery-control-plane-";

/**
 * Starts a control plane in a folder of its own and waits until it is ready, about 3 s. It ends with this process, however that
 * ends; `ask(folder, {do: "close"})` ends it earlier. Leaves no resource in this process: tests may start one and others end it.
 * @throws {Error} with the last words of the component that did not start
 */
export async function startSupervisor(options: ControlPlaneOptions = {}): Promise<string> {
  const { folder, components } = await findExecutables(options.log ?? console.error);
  const missing = options.components?.filter((name) => !components.includes(name)) ?? [];
  if (missing.length > 0) throw new Error(`Cannot start ${missing.join(", ")}: "${folder}" has no such executable`);
  const directory = await Deno.makeTempDir({ prefix: PREFIX });
  await removeAbandoned(directory.slice(0, directory.lastIndexOf("/")));
  const plan: Plan = {
    binaries: folder,
    components: options.components ?? components,
    flags: {
      "etcd": options.etcdFlags ?? [],
      "kube-apiserver": options.apiserverFlags ?? [],
      "kube-controller-manager": options.controllerManagerFlags ?? [],
    },
    audit: options.audit ?? false,
    owner: Deno.pid,
  };
  await Deno.writeTextFile(`${directory}/plan.json`, JSON.stringify(plan));
  await spawnDetached(`${directory}/supervisor.log`, [
    Deno.execPath(),
    "run",
    "--quiet",
    "--allow-all",
    "--no-check",
    new URL("supervisor.ts", import.meta.url).pathname,
    directory,
  ]);
  try {
    await untilListening(directory);
    await ask(directory, { do: "ready" });
  } catch (error) {
    await ask(directory, { do: "close" }).catch(() => {});
    throw error;
  }
  return directory;
}

/** Removes the folders of supervisors that had no time to do so: whoever has a socket and does not listen is dead. */
async function removeAbandoned(folder: string): Promise<void> {
  for await (const { name } of Deno.readDir(folder)) {
    if (!name.startsWith(PREFIX)) continue;
    try {
      (await Deno.connect({ transport: "unix", path: controlSocket(`${folder}/${name}`) })).close();
    } catch (error) {
      if (!(error instanceof Deno.errors.ConnectionRefused)) continue; // one that starts has no socket yet
      await Deno.remove(`${folder}/${name}`, { recursive: true }).catch(() => {}); // others may be at it, too
    }
  }
}

/** Starts a process that is no child of ours: Deno would count it as a resource of whichever test started it. */
async function spawnDetached(log: string, command: readonly string[]): Promise<void> {
  const { success } = await new Deno.Command("sh", {
    args: ["-c", '"$@" >"$0" 2>&1 </dev/null &', log, ...command],
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).output();
  if (!success) throw new Error("Cannot start the supervisor of a control plane");
}

async function untilListening(directory: string): Promise<void> {
  const deadline = Date.now() + 20_000;
  while (!await Deno.stat(controlSocket(directory)).then(() => true, () => false)) {
    if (Date.now() > deadline) {
      const words = await Deno.readTextFile(`${directory}/supervisor.log`).catch(() => "");
      throw new Error(`Cannot start the supervisor of a control plane: ${words.trim()}`);
    }
    await new Promise((resolve) => setTimeout(resolve, SUPERVISOR_PROBE_MS));
  }
}
