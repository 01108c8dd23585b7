import { type Authority, createAuthority } from "../../certificates.ts";
import { type EnvoyOptions, type RunningEnvoy, startEnvoy } from "./envoy.ts";
import { eventually } from "./eventually.ts";
import { type Manifest, type RunningStandalone, startStandalone } from "./standalone.ts";

/** One of the ways in which an Envoy is connected. */
export interface Link {
  readonly mode: "delta" | "sotw";
  readonly tls: boolean;
}

/** All four. */
export const LINKS: readonly Link[] = [
  { mode: "delta", tls: false },
  { mode: "sotw", tls: false },
  { mode: "delta", tls: true },
  { mode: "sotw", tls: true },
];

/** A test for each way to connect. */
export function eachLink(title: string, body: (link: Link) => Promise<void>, links = LINKS): void {
  for (const link of links) {
    Deno.test(`${title} (${link.mode}, ${link.tls ? "mutual TLS" : "plain"})`, () => body(link));
  }
}

/** Options of {@linkcode startWorld}. */
export interface WorldOptions {
  /** Contents of the directory by file name. */
  readonly files: Readonly<Record<string, Manifest>>;
  /** The node id of Envoy; `edge` when absent. */
  readonly nodeId?: string;
  readonly args?: readonly string[];
  readonly envoy?: Omit<EnvoyOptions, "bootstrap">;
}

/** A control plane and one Envoy that is connected to it. */
export class World implements AsyncDisposable {
  readonly chancery: RunningStandalone;
  readonly envoy: RunningEnvoy;

  constructor(chancery: RunningStandalone, envoy: RunningEnvoy) {
    this.chancery = chancery;
    this.envoy = envoy;
  }

  /** Both logs' ends and the state of things, for the message of a wait in vain. */
  explain = async (): Promise<string> => {
    const status = this.chancery.process.ended ? "" : (await this.chancery.get("/status").catch(() => undefined))?.body;
    return `${this.chancery.process.tail(15)}\n${this.envoy.process.tail(15)}\n  status: ${status}`;
  };

  /** {@linkcode eventually}, with an explanation. */
  async wait<T>(what: string, ask: () => T | Promise<T>, deadlineMs = 60_000): Promise<Exclude<T, undefined | false>> {
    return await eventually(ask, { what, deadlineMs, explain: this.explain });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      await this.envoy[Symbol.asyncDispose]();
    } finally {
      await this.chancery[Symbol.asyncDispose]();
    }
  }
}

/** Starts both and waits until Envoy has its first configuration. */
export async function startWorld(link: Link, options: WorldOptions): Promise<World> {
  const authority: Authority | undefined = link.tls ? await createAuthority() : undefined;
  const chancery = await startStandalone({
    files: options.files,
    ...(authority && { authority }),
    ...(options.args && { args: options.args }),
  });
  let envoy: RunningEnvoy | undefined;
  try {
    envoy = await startEnvoy({
      bootstrap: await chancery.bootstrap(options.nodeId ?? "edge", link.mode),
      ...options.envoy,
    });
    const world = new World(chancery, envoy);
    await world.wait("Envoy to have its first configuration", () => world.envoy.ready());
    return world;
  } catch (error) {
    await envoy?.[Symbol.asyncDispose]();
    await chancery[Symbol.asyncDispose]();
    throw error;
  }
}
