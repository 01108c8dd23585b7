import { expect } from "expect";
import { advance, type Rules } from "./advance.ts";
import { applyEvent, type PodEvent } from "./event.ts";
import type { Container, PodSpec, RestartPolicy } from "./pod.ts";
import { isReady, newRecord, type PodRecord } from "./record.ts";
import { podPhase } from "./status.ts";

/** A Pod of which only decisions exist: what it is told to do is written down, and the test says what came of it. */
class Play {
  now = 1_000_000;
  record: PodRecord;
  wakeAt: number | undefined;
  #done: string[] = [];
  readonly #rules: Rules;

  constructor(spec: Partial<PodSpec>, rules: Partial<Rules> = {}) {
    const restartPolicy: RestartPolicy = spec.restartPolicy ?? "Always";
    this.#rules = { restartPolicy, graceMs: 30_000, restartDelay: { baseMs: 1000, maxMs: 8000 }, ...rules };
    this.record = newRecord({ containers: [app("app")], ...spec });
    this.#decide();
  }

  /** What was decided since the last call. */
  get decided(): string[] {
    return this.#done.splice(0);
  }

  get phase(): string {
    return podPhase(this.record, this.#rules.restartPolicy);
  }

  happens(event: PodEvent): this {
    this.record = applyEvent(this.record, event, this.#rules.restartDelay.maxMs);
    this.#decide();
    return this;
  }

  /** The sandbox is made and these containers have started, one after the other. */
  starts(...names: string[]): this {
    if (this.record.sandbox === "making") this.happens({ kind: "sandbox-ready" });
    for (const container of names) this.happens({ kind: "running", container, id: "id", at: this.now });
    return this;
  }

  exits(container: string, exitCode = 0): this {
    return this.happens({ kind: "exited", container, end: { exitCode, reason: "", finishedAt: this.now } });
  }

  ends(graceMs: number): this {
    return this.happens({ kind: "end", at: this.now, graceMs });
  }

  after(ms: number): this {
    this.now += ms;
    this.#decide();
    return this;
  }

  #decide(): void {
    const { record, actions, wakeAt } = advance(this.record, this.#rules, this.now);
    this.record = record;
    this.wakeAt = wakeAt === undefined ? undefined : wakeAt - this.now;
    for (const action of actions) {
      const words = [action.do, "container" in action ? action.container : "", "signal" in action ? action.signal : ""];
      this.#done.push(words.filter((word) => word !== "").join(" "));
    }
    // What was decided is in the record: asked again at the same time there is nothing to do.
    expect(advance(this.record, this.#rules, this.now).actions).toEqual([]);
  }
}

function app(name: string, more: Partial<Container> = {}): Container {
  return { name, image: name, ...more };
}

function sidecar(name: string, more: Partial<Container> = {}): Container {
  return { name, image: name, restartPolicy: "Always", ...more };
}

const PROBE = { tcpSocket: { port: 1 } };
const HOOK = { sleep: { seconds: 1 } };

Deno.test("advance() makes the sandbox first, and tries again when that failed", () => {
  const play = new Play({});
  expect(play.decided).toEqual(["make-sandbox"]);
  play.happens({ kind: "sandbox-failed", message: "secret not found", retryAt: play.now + 500 });
  expect([play.decided, play.wakeAt]).toEqual([[], 500]);
  expect(play.after(500).decided).toEqual(["make-sandbox"]);
  expect(play.happens({ kind: "sandbox-ready" }).decided).toEqual(["start app"]);
  expect(play.phase).toBe("Pending");
  expect(play.starts("app").phase).toBe("Running");
});

Deno.test("advance() starts applications in order, each after the hook of the one before", () => {
  const play = new Play({ containers: [app("one", { lifecycle: { postStart: HOOK } }), app("two")] });
  expect(play.starts("one").decided).toEqual(["make-sandbox", "start one"]);
  expect(play.happens({ kind: "post-start-done", container: "one" }).decided).toEqual(["start two"]);
});

Deno.test("advance() runs init containers one after the other, before everything else", () => {
  const play = new Play({ initContainers: [app("first"), app("second")] });
  expect(play.starts("first").decided).toEqual(["make-sandbox", "start first"]);
  expect(play.exits("first").decided).toEqual(["start second"]);
  play.starts("second").exits("second", 1);
  expect(play.decided).toEqual(["start second"]);
  expect(play.starts("second").exits("second").decided).toEqual(["start app"]);
});

Deno.test("advance() fails the Pod when an init container fails that may not be started again", () => {
  const play = new Play({ initContainers: [sidecar("proxy"), app("init")], restartPolicy: "Never" });
  play.starts("proxy", "init").exits("init", 3);
  expect(play.decided).toEqual(["make-sandbox", "start proxy", "start init", "signal proxy SIGTERM"]);
  expect(play.exits("proxy", 143).decided).toEqual(["remove-sandbox"]);
  expect(play.happens({ kind: "sandbox-gone" }).phase).toBe("Failed");
});

Deno.test("advance() goes on after a native sidecar only when its startup probe was answered", () => {
  const play = new Play({ initContainers: [sidecar("proxy", { startupProbe: PROBE }), app("init")] });
  expect(play.starts("proxy").decided).toEqual(["make-sandbox", "start proxy"]);
  expect(play.happens({ kind: "probed", container: "proxy", probe: "startup", passed: true }).decided).toEqual([
    "start init",
  ]);
});

Deno.test("advance() keeps a native sidecar alive, also in a Pod that starts nothing again", () => {
  const play = new Play({ initContainers: [sidecar("proxy")], restartPolicy: "Never" }).starts("proxy", "app");
  expect(play.decided).toEqual(["make-sandbox", "start proxy", "start app"]);
  expect(play.exits("proxy", 1).decided).toEqual(["start proxy"]);
});

Deno.test("advance() ends sidecars in reverse order once the applications have succeeded", () => {
  const play = new Play({ initContainers: [sidecar("a"), sidecar("b")], restartPolicy: "OnFailure" });
  play.starts("a", "b", "app").exits("app").decided.splice(0);
  expect([play.record.containers[1]?.stopping?.phase, play.record.containers[0]?.stopping?.phase]).toEqual([
    "told",
    "turn",
  ]);
  expect(play.phase).toBe("Running");
  expect(play.exits("b", 143).decided).toEqual(["signal a SIGTERM"]);
  expect(play.exits("a", 143).decided).toEqual(["remove-sandbox"]);
  expect(play.happens({ kind: "sandbox-gone" }).phase).toBe("Succeeded");
});

Deno.test("advance() starts a container at once after its first end, then later and later", () => {
  const play = new Play({}).starts("app").exits("app", 1);
  expect(play.decided).toEqual(["make-sandbox", "start app", "start app"]);
  const delays: (number | undefined)[] = [];
  for (let round = 0; round < 5; round++) {
    play.starts("app").exits("app", 1);
    delays.push(play.wakeAt);
    expect(play.record.containers[0]?.state).toMatchObject({ kind: "waiting", reason: "CrashLoopBackOff" });
    play.after(play.wakeAt ?? 0);
  }
  expect(delays).toEqual([1000, 2000, 4000, 8000, 8000]);
  expect(play.record.containers[0]?.restarts).toBe(5);
});

Deno.test("advance() forgets earlier ends of a container that lived long", () => {
  const play = new Play({}).starts("app").exits("app", 1).starts("app").exits("app", 1).after(1000).starts("app");
  play.decided.splice(0);
  expect(play.after(16_000).exits("app", 1).decided).toEqual(["start app"]);
});

for (
  const [restartPolicy, exitCode, wanted] of [
    ["Always", 0, "start app"],
    ["OnFailure", 0, "remove-sandbox"],
    ["OnFailure", 1, "start app"],
    ["Never", 1, "remove-sandbox"],
  ] as const
) {
  Deno.test(`advance() decides "${wanted}" after exit code ${exitCode} with policy ${restartPolicy}`, () => {
    const play = new Play({ restartPolicy }).starts("app");
    play.decided.splice(0);
    expect(play.exits("app", exitCode).decided).toEqual([wanted]);
  });
}

Deno.test("advance() ends a Pod by hook, SIGTERM and SIGKILL within the grace period", () => {
  const play = new Play({ containers: [app("app", { lifecycle: { preStop: HOOK } })] }).starts("app").ends(10_000);
  expect([play.decided, play.wakeAt]).toEqual([["make-sandbox", "start app", "run-hook app"], 10_000]);
  play.after(3000).happens({ kind: "pre-stop-done", container: "app" });
  expect([play.decided, play.wakeAt]).toEqual([["signal app SIGTERM"], 7000]);
  expect(play.after(7000).decided).toEqual(["signal app SIGKILL"]);
  expect(play.exits("app", 137).decided).toEqual(["remove-sandbox"]);
});

Deno.test("advance() leaves two seconds after a hook that took the whole grace period", () => {
  const play = new Play({ containers: [app("app", { lifecycle: { preStop: HOOK } })] }).starts("app").ends(5000);
  play.decided.splice(0);
  expect([play.after(5000).decided, play.wakeAt]).toEqual([["signal app SIGTERM"], 2000]);
  expect(play.after(2000).decided).toEqual(["signal app SIGKILL"]);
});

Deno.test("advance() runs the hooks of sidecars at once, but tells them to end after the applications", () => {
  const lifecycle = { preStop: HOOK };
  const play = new Play({ initContainers: [sidecar("proxy", { lifecycle })] }).starts("proxy", "app").ends(10_000);
  expect(play.decided).toEqual(["make-sandbox", "start proxy", "start app", "run-hook proxy", "signal app SIGTERM"]);
  expect(play.happens({ kind: "pre-stop-done", container: "proxy" }).decided).toEqual([]);
  expect(play.exits("app", 143).decided).toEqual(["signal proxy SIGTERM"]);
});

Deno.test("advance() lets a second order shorten the grace period and never lengthen it", () => {
  const play = new Play({}).starts("app").ends(30_000).after(1000).ends(5000).ends(60_000);
  expect(play.wakeAt).toBe(5000);
});

Deno.test("advance() ends a container that is unhealthy, and starts it again", () => {
  const play = new Play({ initContainers: [sidecar("proxy", { lifecycle: { preStop: HOOK } })] }).starts(
    "proxy",
    "app",
  );
  play.decided.splice(0);
  play.happens({ kind: "unhealthy", container: "proxy", at: play.now, graceMs: 4000 });
  expect(play.decided).toEqual(["run-hook proxy"]);
  // Applications run on: only at the end of a Pod does a sidecar wait for them.
  expect(play.happens({ kind: "pre-stop-done", container: "proxy" }).decided).toEqual(["signal proxy SIGTERM"]);
  expect(play.exits("proxy", 0).decided).toEqual(["start proxy"]);
});

Deno.test("advance() starts nothing in a Pod that ends while its sandbox is made", () => {
  const play = new Play({}).ends(1000).happens({ kind: "sandbox-ready" });
  expect(play.decided).toEqual(["make-sandbox", "remove-sandbox"]);
});

Deno.test("advance() removes the sandbox only after the process that was just being started has ended", () => {
  const play = new Play({}).happens({ kind: "sandbox-ready" }).ends(1000);
  expect(play.decided).toEqual(["make-sandbox", "start app"]);
  expect(play.starts("app").decided).toEqual(["signal app SIGTERM"]);
  expect(play.exits("app", 143).decided).toEqual(["remove-sandbox"]);
});

Deno.test("advance() fails a Pod that is active for too long", () => {
  const play = new Play({ restartPolicy: "Never" }, { activeUntil: 1_005_000 }).starts("app");
  expect([play.decided, play.wakeAt]).toEqual([["make-sandbox", "start app"], 5000]);
  expect(play.after(5000).decided).toEqual(["signal app SIGTERM"]);
  play.exits("app", 0).happens({ kind: "sandbox-gone" });
  expect([play.phase, play.record.failure?.reason]).toEqual(["Failed", "DeadlineExceeded"]);
});

Deno.test("a container with a readiness probe is ready after an answer, without one once it is started", () => {
  const play = new Play({ containers: [app("app", { startupProbe: PROBE, readinessProbe: PROBE })] }).starts("app");
  const ready = () => play.record.containers.map(isReady);
  expect(ready()).toEqual([false]);
  play.happens({ kind: "probed", container: "app", probe: "readiness", passed: true });
  expect(ready()).toEqual([false]);
  play.happens({ kind: "probed", container: "app", probe: "startup", passed: true });
  expect(ready()).toEqual([true]);
  expect(new Play({}).starts("app").record.containers.map(isReady)).toEqual([true]);
});
