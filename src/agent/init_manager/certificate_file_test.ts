import { expect } from "expect";
import { ManualClock } from "../../base/mod.ts";
import { awaitCertificates } from "./certificate_file.ts";

const CERTIFICATE = "-----BEGIN CERTIFICATE-----\nMEVER0U=\n-----END CERTIFICATE-----\n";

/** A wait for a file of a folder of its own, with what it told so far. */
class Scene implements AsyncDisposable {
  readonly told: string[] = [];
  readonly stop = new AbortController();
  readonly #folder = Deno.makeTempDirSync({ prefix: "init-manager-" });
  readonly path = `${this.#folder}/ca.crt`;
  readonly clock = new ManualClock();

  begin(timeoutMs: number): Promise<string | undefined> {
    return awaitCertificates(this.path, {
      ...{ clock: this.clock, timeoutMs, signal: this.stop.signal },
      waits: (reason) => this.told.push(reason),
    });
  }

  /** Moves the clock on in steps until the wait has ended; real time passes only for the reading of files. */
  async ended<T>(waiting: Promise<T>, stepMs: number): Promise<T> {
    let over = false;
    const end = waiting.finally(() => over = true);
    while (!over) {
      this.clock.advance(stepMs);
      await Promise.race([end, Deno.stat(this.#folder)]);
    }
    return await end;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Deno.remove(this.#folder, { recursive: true });
  }
}

Deno.test("S1: a file with a certificate is not waited for", async () => {
  await using scene = new Scene();
  await Deno.writeTextFile(scene.path, `# of the CA\n${CERTIFICATE}`);
  expect(await scene.begin(0)).toBeUndefined();
  expect(scene.told).toEqual([]);
});

Deno.test("S1: a file that comes late is waited for, also while it is empty, and that is told once", async () => {
  await using scene = new Scene();
  const waiting = scene.begin(Infinity);
  const late = (async () => {
    while (scene.told.length === 0) await Deno.stat("."); // until it has looked
    await Deno.writeTextFile(scene.path, "");
    for (let looks = 0; looks < 20; looks++) await Deno.stat(".");
    await Deno.writeTextFile(scene.path, CERTIFICATE);
  })();
  expect(await scene.ended(waiting, 500)).toBeUndefined();
  await late;
  expect(scene.told).toEqual(["it is not there"]);
});

Deno.test("S1: what is wrong with a file is given when time has run out", async () => {
  await using scene = new Scene();
  const begun = scene.clock.monotonic();
  expect(await scene.ended(scene.begin(60_000), 100)).toBe("it is not there");
  expect(scene.clock.monotonic() - begun).toBeGreaterThanOrEqual(60_000);
  expect(scene.told).toEqual(["it is not there"]);
  await Deno.writeTextFile(scene.path, "-----BEGIN CERTIFICATE-----\n");
  expect(await scene.begin(0)).toBe("it holds no certificate");
  await Deno.remove(scene.path);
  await Deno.mkdir(scene.path);
  expect(await scene.begin(0)).toMatch(/directory/i);
});

Deno.test("a wait for a file ends when it is told to", async () => {
  await using scene = new Scene();
  const waiting = scene.begin(60_000);
  scene.stop.abort();
  expect(await waiting).toBe("it is not there");
});
