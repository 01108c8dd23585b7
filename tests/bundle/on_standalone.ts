/**
 * What each command does with a standalone, and with an Envoy that it serves.
 * @module
 */
import { expect } from "expect";
import {
  envoyConfig,
  eventually,
  type Fields,
  freePort,
  Hopeless,
  httpGet,
  listener,
  type RunningEnvoy,
  type RunningProcess,
  startEnvoy,
} from "../envoy/harness/mod.ts";
import type { EmptyPlace } from "./empty_place.ts";
import type { Cases } from "./offline.ts";

/** A standalone that serves an Envoy, which was started from what `bootstrap` prints. Everything is gone with the scope. */
export class ServedEnvoy implements AsyncDisposable {
  readonly place: EmptyPlace;
  readonly envoy: RunningEnvoy;
  readonly standalone: RunningProcess;
  readonly #port: number;
  readonly #parts: AsyncDisposableStack;

  private constructor(
    place: EmptyPlace,
    of: { envoy: RunningEnvoy; standalone: RunningProcess; port: number; parts: AsyncDisposableStack },
  ) {
    this.place = place;
    this.envoy = of.envoy;
    this.standalone = of.standalone;
    this.#port = of.port;
    this.#parts = of.parts;
  }

  static async start(place: EmptyPlace): Promise<ServedEnvoy> {
    const [port, xds] = [freePort(), `127.0.0.1:${freePort()}`];
    place.write("config/edge.yaml", [edge(port, "first")]);
    await using parts = new AsyncDisposableStack();
    const folders = ["--config", place.path("config"), "--data", place.path("data")];
    const standalone = parts.use(
      place.start(["standalone", ...folders, "--xds-bind", xds, "--admin-bind", "127.0.0.1:0", "--log-format", "json"]),
    );
    await eventually(() => {
      if (standalone.ended) throw new Hopeless(`it ended with code ${standalone.ended.code}`);
      return standalone.lines.some((line) => JSON.parse(line).message === "Ready");
    }, { what: "the standalone to be ready", deadlineMs: 60_000, explain: () => standalone.tail() });
    const printed = await place.output(["bootstrap", "--node-id", "edge", "--xds-address", xds]);
    const envoy = parts.use(await startEnvoy({ bootstrap: JSON.parse(printed) }));
    return new ServedEnvoy(place, { envoy, standalone, port, parts: parts.move() });
  }

  /** Words by which a command asks this standalone. */
  get asked(): readonly string[] {
    return ["--data", this.place.path("data")];
  }

  /** Serves another text. */
  serve(text: string): void {
    this.place.write("config/edge.yaml", [edge(this.#port, text)]);
  }

  /** What would serve another text, as manifests that are not served. */
  draft(text: string): string {
    return this.place.write("draft/edge.yaml", [edge(this.#port, text)]);
  }

  /** Waits until Envoy answers with a text. */
  async answers(text: string): Promise<void> {
    await eventually(async () => (await httpGet({ port: this.#port })).body === text, {
      what: `Envoy to answer "${text}"`,
      deadlineMs: 60_000,
      explain: () => this.standalone.tail(),
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#parts.disposeAsync();
  }
}

function edge(port: number, text: string): Fields {
  return envoyConfig("edge", [listener("in", { port, routes: { text } })]);
}

/** See above. Each goes on from where the one before it has left off. */
export const ON_STANDALONE: Cases<ServedEnvoy> = {
  async standalone(served) {
    await served.answers("first");
  },
  async diff(served) {
    const { code, stdout } = await served.place.run(["diff", served.draft("second"), ...served.asked]);
    expect(code).toBe(1);
    expect(stdout).toContain("second");
  },
  async status(served) {
    served.serve("second");
    await served.answers("second");
    const status = () => served.place.output(["status", "-o", "json", ...served.asked]);
    await eventually(async () => JSON.parse(await status()).items[0].inSync, {
      what: "Envoy's word",
      deadlineMs: 60_000,
    });
  },
  async history(served) {
    const { items } = JSON.parse(await served.place.output(["history", "edge", "-o", "json", ...served.asked]));
    expect(items).toHaveLength(2);
  },
  async rollback(served) {
    await served.place.output(["rollback", "edge", ...served.asked]);
    await served.answers("first");
  },
  async backup(served) {
    await served.place.output(["backup", ...served.asked, served.place.path("copy.db")]);
    expect((await Deno.stat(served.place.path("copy.db"))).size).toBeGreaterThan(0);
  },
  async "shutdown-manager"({ place, envoy }) {
    const port = freePort();
    const words = ["--port", String(port), "--envoy-admin-address", `http://127.0.0.1:${envoy.adminPort}`];
    const quick = ["--check-drain-delay", "0", "--ready-file", place.path("drained")];
    await using manager = place.start(["shutdown-manager", ...words, ...quick]);
    await eventually(async () => (await httpGet({ port }, "/healthz")).status === 200, {
      what: "the shutdown manager to answer",
      deadlineMs: 60_000,
      explain: () => manager.tail(),
    });
    expect((await httpGet({ port }, "/drain")).status).toBe(200);
    expect(JSON.parse(await envoy.admin("/server_info")).state).toBe("DRAINING");
    await Deno.stat(place.path("drained"));
    expect((await manager.stop()).code).toBe(0);
  },
};
