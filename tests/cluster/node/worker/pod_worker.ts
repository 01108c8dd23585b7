import { ContainerProcess } from "../machine/container_process.ts";
import { delay } from "../machine/delay.ts";
import { advance, type PodAction, type Rules } from "../pod/advance.ts";
import { applyEvent, type PodEvent } from "../pod/event.ts";
import { type Container, placedContainers, type Pod } from "../pod/pod.ts";
import { newRecord, type PodRecord } from "../pod/record.ts";
import { podStatus } from "../pod/status.ts";
import { containerSetup, logFile, messageFile, StartRefused } from "./container_launch.ts";
import { runHandler } from "./handler.ts";
import { PodSandbox } from "./pod_sandbox.ts";
import { probeContainer } from "./prober.ts";
import { StatusWriter } from "./status_writer.ts";
import type { Surroundings } from "./surroundings.ts";

/** After this time what could not be done is tried again. */
const RETRY_MS = 500;
/** The longest message that a container leaves, in bytes. */
const MAX_MESSAGE = 4096;

/** Options of {@linkcode PodWorker}. */
export interface PodWorkerOptions {
  readonly nodeName: string;
  readonly around: Surroundings;
  /** Called once all is over and the API has been told. */
  readonly onFinished: () => void;
}

/** Runs one Pod: asks the pure rules of `../pod/` what to do, does it, and tells them what came of it. */
export class PodWorker {
  /** What its containers share. */
  readonly sandbox: PodSandbox;
  readonly #around: Surroundings;
  readonly #onFinished: () => void;
  readonly #firstSeen = Date.now();
  readonly #writer: StatusWriter;
  readonly #processes = new Map<string, ContainerProcess>();
  /** Ends probes and hooks of a container, by its name. */
  readonly #attendants = new Map<string, AbortController>();
  readonly #tasks = new Set<Promise<void>>();
  readonly #stop = new AbortController();
  #pod: Pod;
  #record: PodRecord;
  #wake: ReturnType<typeof setTimeout> | undefined;
  /** The Pod is not in the API any more. */
  #removed = false;

  constructor(pod: Pod, { nodeName, around, onFinished }: PodWorkerOptions) {
    this.#pod = pod;
    this.#onFinished = onFinished;
    this.#around = around;
    this.sandbox = new PodSandbox(pod, nodeName, around);
    this.#record = newRecord(pod.spec);
    this.#writer = new StatusWriter(around.client, pod, this.#stop.signal);
    this.update(pod);
  }

  /** The Pod as the node last saw it. */
  get pod(): Pod {
    return this.#pod;
  }

  /** A newer state of the same Pod. */
  update(pod: Pod): void {
    this.#pod = pod;
    const { deletionTimestamp, deletionGracePeriodSeconds = 30 } = pod.metadata;
    if (deletionTimestamp === undefined) this.#turn();
    else this.#end(deletionGracePeriodSeconds * 1000);
  }

  /** The Pod is gone from the API, by force: its processes end at once. */
  removed(): void {
    this.#removed = true;
    this.#end(0);
  }

  /** Fills the volumes anew from what the objects hold now. */
  objectsChanged(): void {
    // One that is being made has its next try soon enough.
    if (this.#record.obstacle && this.#record.sandbox === "none") {
      this.#dispatch({ ...this.#failed(this.#record.obstacle.message), retryAt: Date.now() });
    }
    if (this.#record.sandbox === "ready") this.#task(this.sandbox.fill(this.#pod));
  }

  /** Writes the names of Services anew. */
  servicesChanged(): void {
    if (this.#record.sandbox === "ready") this.#task(this.sandbox.writeNames(this.#pod));
  }

  /** The process of a container that runs; the first one's when none is named. */
  process(container?: string): ContainerProcess {
    const name = container ?? this.#pod.spec.containers[0]?.name ?? "";
    const process = this.#processes.get(name);
    if (process) return process;
    throw new Error(`Cannot find container ${JSON.stringify(name)} of ${this.#pod.metadata.name}: it does not run`);
  }

  /** What a container wrote in its lives, the last one unless `all`. */
  async logs(container: string | undefined, { all = false } = {}): Promise<string> {
    const name = container ?? this.#pod.spec.containers[0]?.name ?? "";
    const lives = (this.#record.containers.find((one) => one.name === name)?.restarts ?? 0) + 1;
    const texts: string[] = [];
    for (let life = all ? 0 : lives - 1; life < lives; life++) {
      texts.push(await Deno.readTextFile(logFile(this.sandbox.folder, name, life)).catch(() => ""));
    }
    return texts.join("");
  }

  /** Ends everything without a word to the API. */
  async kill(): Promise<void> {
    this.#stop.abort();
    clearTimeout(this.#wake);
    for (const process of this.#processes.values()) process.signal("SIGKILL");
    while (this.#tasks.size > 0) await Promise.all(this.#tasks);
    if (this.#record.sandbox !== "gone") await this.#around.network.removePod(this.sandbox.address);
  }

  #end(graceMs: number): void {
    this.#dispatch({ kind: "end", at: Date.now(), graceMs });
  }

  get #rules(): Rules {
    const { restartPolicy = "Always", terminationGracePeriodSeconds = 30, activeDeadlineSeconds } = this.#pod.spec;
    return {
      restartPolicy,
      graceMs: terminationGracePeriodSeconds * 1000,
      restartDelay: this.#around.times.restartDelay,
      ...(activeDeadlineSeconds === undefined ? {} : { activeUntil: this.#firstSeen + activeDeadlineSeconds * 1000 }),
    };
  }

  #dispatch(event: PodEvent): void {
    this.#record = applyEvent(this.#record, event, this.#around.times.restartDelay.maxMs);
    this.#turn();
  }

  /** Asks what to do, does it, and reports. */
  #turn(): void {
    if (this.#stop.signal.aborted) return;
    clearTimeout(this.#wake);
    const now = Date.now();
    const { record, actions, wakeAt = Infinity } = advance(this.#record, this.#rules, now);
    this.#record = record;
    for (const action of actions) this.#perform(action);
    const next = Math.min(wakeAt, record.sandbox === "ready" ? this.sandbox.renewAt : Infinity);
    if (next !== Infinity) this.#wake = setTimeout(() => this.#woken(), Math.min(Math.max(next - now, 0), 2 ** 30));
    this.#task(this.#report());
  }

  #woken(): void {
    if (this.#record.sandbox === "ready" && this.sandbox.renewAt <= Date.now()) this.#task(this.#renewTokens());
    else this.#turn();
  }

  async #renewTokens(): Promise<void> {
    await this.sandbox.renewTokens(this.#pod).catch(() => delay(RETRY_MS, this.#stop.signal));
    this.#turn();
  }

  async #report(): Promise<void> {
    const record = this.#record;
    const over = record.sandbox === "gone";
    await this.#writer.set(podStatus(this.#pod, record, {
      hostIP: this.#around.network.machine,
      // A Pod without a sandbox has no address yet.
      ...(record.sandbox === "none" || record.sandbox === "making" ? {} : { podIP: this.sandbox.address }),
      startTime: this.#firstSeen,
      now: Date.now(),
    }));
    if (!over || this.#stop.signal.aborted) return;
    if (this.#pod.metadata.deletionTimestamp !== undefined && !this.#removed) await this.#writer.remove();
    else if (!this.#removed) return;
    this.#stop.abort();
    this.#onFinished();
  }

  #perform(action: PodAction): void {
    switch (action.do) {
      case "make-sandbox":
        return this.#task(this.#makeSandbox());
      case "remove-sandbox":
        return this.#task(this.#removeSandbox());
      case "start":
        return this.#task(this.#start(this.#container(action.container)));
      case "run-hook":
        return this.#task(this.#runPreStop(this.#container(action.container), action.deadline));
      case "signal":
        this.#processes.get(action.container)?.signal(action.signal);
    }
  }

  async #makeSandbox(): Promise<void> {
    try {
      await this.sandbox.make(this.#pod);
      this.#dispatch({ kind: "sandbox-ready" });
    } catch (error) {
      this.#dispatch(this.#failed(error instanceof Error ? error.message : String(error)));
    }
  }

  async #removeSandbox(): Promise<void> {
    await this.sandbox.remove();
    this.#dispatch({ kind: "sandbox-gone" });
  }

  #failed(message: string): Extract<PodEvent, { kind: "sandbox-failed" }> {
    return { kind: "sandbox-failed", message, retryAt: Date.now() + RETRY_MS };
  }

  async #start(container: Container): Promise<void> {
    const { name } = container;
    const life = this.#life(name);
    try {
      const setup = await containerSetup({
        pod: this.#pod,
        container,
        sandbox: this.sandbox,
        life,
      }, this.#around);
      const process = await ContainerProcess.start(setup, this.sandbox.namespace);
      if (this.#stop.signal.aborted) process.signal("SIGKILL");
      this.#processes.set(name, process);
      this.#attend(container, process, life);
    } catch (error) {
      const reason = error instanceof StartRefused ? error.reason : "RunContainerError";
      const message = error instanceof Error ? error.message : String(error);
      this.#dispatch({ kind: "start-failed", container: name, reason, message, retryAt: Date.now() + RETRY_MS });
    }
  }

  /** Follows a container from its start to its end: hook, probes, exit. */
  #attend(container: Container, process: ContainerProcess, life: number): void {
    const { name } = container;
    const attendant = new AbortController();
    this.#attendants.set(name, attendant);
    const signal = AbortSignal.any([attendant.signal, this.#stop.signal]);
    this.#task(process.ended.then(async (exitCode) => {
      attendant.abort();
      this.#processes.delete(name);
      const message = await this.#lastWords(container, life, exitCode);
      const reason = exitCode === 0 ? "Completed" : "Error";
      const end = { exitCode, reason, finishedAt: Date.now(), ...(message === "" ? {} : { message }) };
      this.#dispatch({ kind: "exited", container: name, end });
    }));
    this.#dispatch({
      kind: "running",
      container: name,
      id: `process://${this.#pod.metadata.uid}/${name}/${life}`,
      at: Date.now(),
    });
    this.#task(this.#runPostStart(container, process, signal));
    this.#task(probeContainer(container, {
      target: { podIP: this.sandbox.address, container, process },
      maxPeriodMs: this.#around.times.maxProbePeriodMs,
      signal,
      sink: {
        probed: (probe, passed) => this.#dispatch({ kind: "probed", container: name, probe, passed }),
        unhealthy: (graceMs) => this.#unhealthy(name, graceMs),
      },
    }));
  }

  #unhealthy(container: string, graceMs = this.#rules.graceMs): void {
    this.#dispatch({ kind: "unhealthy", container, at: Date.now(), graceMs });
  }

  async #runPostStart(container: Container, process: ContainerProcess, signal: AbortSignal): Promise<void> {
    const hook = container.lifecycle?.postStart;
    if (!hook) return;
    const problem = await runHandler(hook, { podIP: this.sandbox.address, container, process }, signal);
    if (signal.aborted) return;
    if (problem === undefined) this.#dispatch({ kind: "post-start-done", container: container.name });
    else this.#unhealthy(container.name);
  }

  async #runPreStop(container: Container, deadline: number): Promise<void> {
    const { name } = container;
    const hook = container.lifecycle?.preStop;
    const process = this.#processes.get(name);
    const attendant = this.#attendants.get(name);
    if (hook && process && attendant) {
      const limit = AbortSignal.timeout(Math.max(deadline - Date.now(), 0));
      const signal = AbortSignal.any([attendant.signal, this.#stop.signal, limit]);
      await runHandler(hook, { podIP: this.sandbox.address, container, process }, signal);
    }
    this.#dispatch({ kind: "pre-stop-done", container: name });
  }

  /** What a container leaves to be read in its status. */
  async #lastWords(container: Container, life: number, exitCode: number): Promise<string> {
    const message = await Deno.readTextFile(messageFile(this.sandbox.folder, container.name, life));
    const fromLog = exitCode !== 0 && message === "" && container.terminationMessagePolicy === "FallbackToLogsOnError";
    const text = fromLog ? await Deno.readTextFile(logFile(this.sandbox.folder, container.name, life)) : message;
    return text.slice(-MAX_MESSAGE);
  }

  #life(name: string): number {
    const known = this.#record.containers.find((one) => one.name === name);
    return known === undefined || known.failures === 0 ? 0 : known.restarts + 1;
  }

  #container(name: string): Container {
    const found = placedContainers(this.#pod.spec).find(({ container }) => container.name === name)?.container;
    if (!found) throw new Error(`Cannot find container ${JSON.stringify(name)} in its Pod`);
    return found;
  }

  #task(work: Promise<void>): void {
    const task: Promise<void> = work.catch((error) => this.#complain(error)).finally(() => this.#tasks.delete(task));
    this.#tasks.add(task);
  }

  #complain(error: unknown): void {
    if (this.#stop.signal.aborted) return;
    const { namespace, name } = this.#pod.metadata;
    console.error(`node: pod ${namespace}/${name}: ${error instanceof Error ? error.message : error}`);
  }
}
