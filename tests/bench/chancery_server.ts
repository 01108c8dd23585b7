/**
 * chancery as a program embeds it, through the library's door; the other side is go-control-plane/main.go. It reads one
 * JSON command a line from standard input, answers on standard output, and ends with its input.
 */
import { type ResourceInput, type SnapshotInput, type TlsMaterial, XdsServer } from "../../mod.ts";

interface Command {
  readonly id: number;
  readonly cmd: string;
  readonly set: "clusters" | "endpoints";
  readonly count: number;
  readonly change: "all" | "one";
  readonly index: number;
  readonly generation: number;
  readonly rate: number;
  readonly seconds: number;
}

/** What is served: the same resources as in go-control-plane/world.go, each marked with the generation that last changed it. */
class World {
  #set: "clusters" | "endpoints" = "clusters";
  #version = 0;
  #resources: ResourceInput[] = [];

  change({ set, count, change, index, generation }: Command): void {
    if (this.#resources.length === 0) {
      this.#set = set;
      this.#resources.length = count;
    }
    this.#version = generation;
    this.#resources = Array.from(
      this.#resources,
      (before, i) =>
        change === "all" || i === index % this.#resources.length ? resourceOf(this.#set, i, generation) : before,
    );
  }

  snapshot(): SnapshotInput {
    const resources = { [this.#set]: this.#resources };
    return this.#set === "clusters" ? { ...resources, versions: { clusters: `v${this.#version}` } } : resources;
  }
}

function resourceOf(set: "clusters" | "endpoints", i: number, generation: number): ResourceInput {
  const number = String(i).padStart(6, "0");
  const mark = `~g${String(generation).padStart(6, "0")}`;
  if (set === "clusters") return clusterOf(`cluster-${number}`, mark);
  const hosts = [1, 2, 3, 4].map((host) => endpointOf(`10.${i >> 8}.${i & 255}.${host}`, mark));
  return { cluster_name: `endpoints-${number}`, endpoints: [{ lb_endpoints: hosts }] };
}

function clusterOf(name: string, mark: string): ResourceInput {
  const hosts = ["svc", "svc2"].map((svc) => endpointOf(`${svc}-${name}.namespace-with-a-long-name.svc.cluster.local`));
  return {
    name,
    alt_stat_name: `alt-${name}-${"x".repeat(36)}${mark}`,
    type: "STRICT_DNS",
    connect_timeout: "5s",
    load_assignment: { cluster_name: name, endpoints: [{ lb_endpoints: hosts }] },
  };
}

function endpointOf(address: string, hostname?: string): Record<string, unknown> {
  const socketAddress = { address: { socket_address: { address, port_value: 8080 } } };
  return { endpoint: hostname === undefined ? socketAddress : { ...socketAddress, hostname } };
}

/** One change at a time, `rate` times a second; the server itself gathers what comes fast. */
async function churn(server: XdsServer, world: World, command: Command): Promise<number> {
  const interval = 1000 / command.rate;
  const changes = command.rate * command.seconds;
  const started = Date.now();
  const due = (i: number) => started + i * interval;
  for (let i = 0; i < changes; i++) {
    const early = due(i) - Date.now();
    if (early > 0) await new Promise((done) => setTimeout(done, early));
    const [index, generation] = [command.index + i, command.generation + i];
    world.change({ ...command, change: "one", index, generation });
    server.setSnapshot("bench", world.snapshot());
  }
  return due(changes - 1);
}

async function run(server: XdsServer, world: World, command: Command): Promise<Record<string, unknown>> {
  switch (command.cmd) {
    case "prepare":
      world.change(command);
      return {};
    case "commit": {
      const at = Date.now();
      server.setSnapshot("bench", world.snapshot());
      return { at, took: Date.now() - at };
    }
    case "churn":
      return { at: await churn(server, world, command) };
    case "settle": // it puts memory in order by itself
      return {};
    default:
      throw new Error(`Unknown command "${command.cmd}"`);
  }
}

async function tlsOf(folder: string): Promise<TlsMaterial> {
  const read = (name: string) => Deno.readTextFile(`${folder}/${name}`);
  const [certificate, privateKey, clientCa] = await Promise.all([
    read("server.pem"),
    read("server.key"),
    read("ca.pem"),
  ]);
  return { certificate, privateKey, clientCa };
}

const [certificates] = Deno.args;
const server = await XdsServer.start({
  trimMemory: true, // as standalone does
  bind: { host: "127.0.0.1", port: 0 },
  ...(certificates === undefined ? {} : { tls: await tlsOf(certificates) }),
});
const world = new World();
console.log(JSON.stringify({ port: server.port }));
let rest = "";
for await (const text of Deno.stdin.readable.pipeThrough(new TextDecoderStream())) {
  const lines = (rest + text).split("\n");
  rest = lines.pop() ?? "";
  for (const line of lines) {
    const command = JSON.parse(line) as Command; // written by session.ts
    console.log(JSON.stringify({ id: command.id, ...await run(server, world, command) }));
  }
}
Deno.exit(0); // whoever asked is gone, and so are its streams
