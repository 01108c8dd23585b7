/**
 * The process that owns a control plane: `supervisor.ts DIRECTORY`, with a `Plan` in `DIRECTORY/plan.json`. It is a child of
 * nobody who matters: several test processes may use one control plane, and it ends with its owner, however that one ended.
 * @module
 */
import process from "node:process";
import { type Component, COMPONENTS, flagsOf, type Ports } from "./component.ts";
import { ComponentProcess } from "./component_process.ts";
import { answer, type ControlRequest, controlSocket } from "./control_socket.ts";
import { EgressProxy } from "./egress_proxy.ts";
import { reservePorts } from "./ports.ts";
import { prepareDirectory } from "./prepare.ts";

/** What to run, as JSON. */
export interface Plan {
  /** Folder with the executables. */
  readonly binaries: string;
  readonly components: readonly Component[];
  readonly flags: Readonly<Partial<Record<Component, readonly string[]>>>;
  readonly audit: boolean;
  /** Process id of whom all this is for. */
  readonly owner: number;
}

const OWNER_PROBE_MS = 200;

/** Everything of one control plane. */
class Supervisor {
  readonly #directory: string;
  readonly #plan: Plan;
  readonly #processes = new Map<Component, ComponentProcess>();
  #egress: EgressProxy | undefined;
  #closing: Promise<void> | undefined;
  /** The first start of everything. */
  readonly #started: Promise<void>;

  constructor(directory: string, plan: Plan) {
    this.#directory = directory;
    this.#plan = plan;
    this.#started = this.#startAll();
    this.#started.catch(() => {}); // told to whoever asks
  }

  async handle(request: ControlRequest): Promise<void> {
    if (request.do === "close") return await this.close();
    await this.#started;
    switch (request.do) {
      case "ready":
        return;
      case "start":
        return await this.#process(request.component).start();
      case "stop":
        return await this.#process(request.component).stop(request.signal);
      case "freeze":
        return this.#process(request.component).signal("SIGSTOP");
      case "thaw":
        return this.#process(request.component).signal("SIGCONT");
      case "route":
        if (request.to === undefined) this.#egress?.delete(request.from);
        else this.#egress?.set(request.from, request.to);
    }
  }

  /** Ends the components, last started first, and removes the folder. */
  close(): Promise<void> {
    return this.#closing ??= (async () => {
      // Nobody will read the data again. A component that is killed while it starts ends the start.
      const kill = () => Promise.all([...this.#processes.values()].map((each) => each.stop("SIGKILL")));
      await kill();
      await this.#started.catch(() => {});
      await kill();
      await Deno.remove(this.#directory, { recursive: true });
    })();
  }

  async #startAll(): Promise<void> {
    const { ports } = await reservePorts(); // held until this process ends
    await prepareDirectory(this.#directory, ports);
    this.#egress = new EgressProxy(`${this.#directory}/egress.sock`);
    const ready = readinessOf(this.#directory, ports);
    const { binaries, flags: extra, audit } = this.#plan;
    for (const component of COMPONENTS.filter((name) => this.#plan.components.includes(name))) {
      const flags = flagsOf(component, { directory: this.#directory, ports, audit, extra });
      const command = { component, binaries, directory: this.#directory, flags, isReady: ready[component] };
      this.#processes.set(component, new ComponentProcess(command));
    }
    for (const each of this.#processes.values()) {
      if (this.#closing !== undefined) return;
      await each.start();
    }
  }

  #process(component: Component): ComponentProcess {
    const found = this.#processes.get(component);
    if (found === undefined) {
      throw new Error(`Cannot find component ${JSON.stringify(component)}: this control plane has none`);
    }
    return found;
  }
}

/** How to ask each component whether it does its work. */
function readinessOf(directory: string, ports: Ports): Readonly<Record<Component, () => Promise<boolean>>> {
  const admin = Deno.createHttpClient({
    caCerts: [Deno.readTextFileSync(`${directory}/ca.crt`)],
    cert: Deno.readTextFileSync(`${directory}/admin.crt`),
    key: Deno.readTextFileSync(`${directory}/admin.key`),
  });
  const says200 = async (url: string) => {
    const response = await fetch(url, { client: admin, signal: AbortSignal.timeout(2000) });
    await response.body?.cancel();
    return response.ok;
  };
  const api = `https://127.0.0.1:${ports.api}`;
  return {
    "etcd": () => says200(`http://127.0.0.1:${ports.etcd}/health`),
    "kube-apiserver": () => says200(`${api}/readyz`),
    // Pods cannot be created before the account that the controller manager makes in each namespace.
    "kube-controller-manager": () => says200(`${api}/api/v1/namespaces/default/serviceaccounts/default`),
    "kube-scheduler": () => Promise.resolve(true),
  };
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** A socket that is in its place once it listens: one that is not listened at is taken for that of a dead supervisor. */
function listenAt(path: string): Deno.Listener {
  const listener = Deno.listen({ transport: "unix", path: `${path}.new` });
  Deno.renameSync(`${path}.new`, path);
  return listener;
}

if (import.meta.main) {
  const directory = Deno.args[0]!;
  const plan: Plan = JSON.parse(await Deno.readTextFile(`${directory}/plan.json`));
  const supervisor = new Supervisor(directory, plan);
  const end = async () => {
    await supervisor.close().catch((error) => console.error(error));
    Deno.exit(0);
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) Deno.addSignalListener(signal, end);
  setInterval(() => isAlive(plan.owner) || end(), OWNER_PROBE_MS);
  const listener = listenAt(controlSocket(directory));
  await answer(listener, async (request) => {
    await supervisor.handle(request);
    if (request.do === "close") setTimeout(() => Deno.exit(0), OWNER_PROBE_MS); // after the answer
  });
}
