import { createSocket } from "node:dgram";
import { expect } from "expect";
import {
  eventually,
  freePort,
  Hopeless,
  httpGet,
  type RunningEnvoy,
  type RunningProcess,
  startEnvoy,
  startLoad,
  startProcess,
} from "../envoy/harness/mod.ts";
import { CLI } from "../program.ts";

const TYPE = "type.googleapis.com/envoy.extensions.filters";

/** How long a UDP session lasts after its last datagram. */
const UDP_IDLE_S = 4;

/** An Envoy with a port that answers HTTP itself, and ports that hand TCP and UDP on. */
async function startPod(echo: number, ...envoyArgs: string[]): Promise<Pod> {
  const [http, tcp, udp, port] = [freePort(), freePort(), freePort(), freePort()];
  const listener = (port_value: number, name: string, typed_config: object) => ({
    name,
    address: { socket_address: { address: "127.0.0.1", port_value } },
    filter_chains: [{ filters: [{ name, typed_config }] }],
  });
  const route = { match: { prefix: "/" }, direct_response: { status: 200, body: { inline_string: "fine" } } };
  const envoy = await startEnvoy({
    bootstrap: {
      static_resources: {
        listeners: [
          listener(http, "http", {
            "@type": `${TYPE}.network.http_connection_manager.v3.HttpConnectionManager`,
            stat_prefix: "edge",
            route_config: { name: "r", virtual_hosts: [{ name: "v", domains: ["*"], routes: [route] }] },
            http_filters: [{ name: "router", typed_config: { "@type": `${TYPE}.http.router.v3.Router` } }],
          }),
          listener(tcp, "tcp", {
            "@type": `${TYPE}.network.tcp_proxy.v3.TcpProxy`,
            stat_prefix: "tcp",
            cluster: "echo",
          }),
          {
            name: "udp",
            address: { socket_address: { protocol: "UDP", address: "127.0.0.1", port_value: udp } },
            listener_filters: [{
              name: "udp",
              typed_config: {
                "@type": `${TYPE}.udp.udp_proxy.v3.UdpProxyConfig`,
                ...{ stat_prefix: "udp", idle_timeout: `${UDP_IDLE_S}s` },
                matcher: {
                  on_no_match: {
                    action: {
                      name: "echo",
                      typed_config: { "@type": `${TYPE}.udp.udp_proxy.v3.Route`, cluster: "echo" },
                    },
                  },
                },
              },
            }],
          },
        ],
        clusters: [{
          name: "echo",
          connect_timeout: "5s",
          load_assignment: {
            cluster_name: "echo",
            endpoints: [{
              lb_endpoints: [{
                endpoint: { address: { socket_address: { address: "127.0.0.1", port_value: echo } } },
              }],
            }],
          },
        }],
      },
    },
    args: envoyArgs,
  });
  const manager = startManager(port, "--envoy-admin-address", `http://127.0.0.1:${envoy.adminPort}`);
  await eventually(async () => (await get(port, "/healthz")) === "200 OK", {
    what: "the shutdown manager to answer",
    explain: () => manager.tail(),
  });
  return { envoy, manager, http, tcp, udp, port };
}

interface Pod {
  readonly envoy: RunningEnvoy;
  readonly manager: RunningProcess;
  readonly http: number;
  readonly tcp: number;
  readonly udp: number;
  /** Of the hooks. */
  readonly port: number;
}

function startManager(port: number, ...args: string[]): RunningProcess {
  return startProcess({
    name: "shutdown-manager",
    command: Deno.execPath(),
    args: [
      ...["run", "--quiet", "--allow-all", CLI, "shutdown-manager", "--port", String(port)],
      ...["--ready-file", `${FOLDER}/ok-${port}`, ...args],
    ],
  });
}

const FOLDER = Deno.makeTempDirSync({ prefix: "shutdown-manager-" });
globalThis.addEventListener("unload", () => Deno.removeSync(FOLDER, { recursive: true }));

async function get(
  port: number,
  path: string,
  headers: Record<string, string> = {},
  host = "127.0.0.1",
): Promise<string> {
  const response = await fetch(`http://${host}:${port}${path}`, { headers });
  return `${response.status} ${(await response.text()).trim()}`;
}

/** A socket that sends and takes datagrams. */
class Datagrams implements AsyncDisposable {
  readonly #socket = createSocket("udp4");
  readonly #bound = new Promise<void>((resolve) => this.#socket.bind(0, "127.0.0.1", resolve));

  async port(): Promise<number> {
    await this.#bound;
    return this.#socket.address().port;
  }

  send(port: number): void {
    this.#socket.send("hello", port, "127.0.0.1");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#bound;
    await new Promise<void>((resolve) => this.#socket.close(resolve));
  }
}

/** Sends new connections to a target that can be changed, as a Service does. */
class Forwarder implements AsyncDisposable {
  target: number;
  readonly #listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  readonly #accepting: Promise<void>;
  readonly #pipes = new Set<Promise<unknown>>();

  constructor(target: number) {
    this.target = target;
    this.#accepting = this.#accept();
  }

  get port(): number {
    return this.#listener.addr.transport === "tcp" ? this.#listener.addr.port : 0;
  }

  async #accept(): Promise<void> {
    for await (const client of this.#listener) {
      const piped = this.#pipe(client).finally(() => this.#pipes.delete(piped));
      this.#pipes.add(piped);
    }
  }

  async #pipe(client: Deno.Conn): Promise<void> {
    const server = await Deno.connect({ hostname: "127.0.0.1", port: this.target }).catch(() => undefined);
    if (!server) return client.close();
    await Promise.allSettled([client.readable.pipeTo(server.writable), server.readable.pipeTo(client.writable)]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listener.close();
    await this.#accepting;
    await Promise.all(this.#pipes);
  }
}

Deno.test("C11, C13: no request fails while a pod ends, and an open TCP connection is waited for", async () => {
  await using echo = new Forwarder(0);
  const upstream = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const serving = (async () => {
    for await (const connection of upstream) connection.readable.pipeTo(connection.writable).catch(() => {});
  })();
  const upstreamPort = upstream.addr.transport === "tcp" ? upstream.addr.port : 0;
  echo.target = upstreamPort;
  const old = await startPod(echo.port);
  const young = await startPod(echo.port);
  {
    await using _old = old.envoy;
    await using _young = young.envoy;
    await using _oldManager = old.manager;
    await using _youngManager = young.manager;
    await using service = new Forwarder(old.http);
    await using load = startLoad({ target: { port: service.port }, host: "127.0.0.1" });
    using tcp = await Deno.connect({ hostname: "127.0.0.1", port: old.tcp });
    await eventually(() => load.requests > 50, { what: "some requests" });

    // As the kubelet does: all hooks at once.
    const hooks = [get(old.port, "/drain"), get(old.port, "/shutdown"), get(old.port, "/drain")];
    let ended = 0;
    for (const hook of hooks) hook.then(() => ended++);
    await eventually(async () => (await httpGet({ port: old.envoy.adminPort }, "/ready")).status === 503, {
      what: "Envoy to drain",
    });
    // The news that the pod ends gets round later than its end begins.
    const soon = load.requests + 100;
    await eventually(() => load.requests > soon, { what: "requests to an Envoy that drains" });
    service.target = young.http;
    await eventually(async () => await old.envoy.stat("http.edge.downstream_cx_active") === 0, {
      what: "HTTP connections to end",
      deadlineMs: 20_000,
    });
    await tcp.write(new TextEncoder().encode("still"));
    const bytes = new Uint8Array(16);
    expect(new TextDecoder().decode(bytes.subarray(0, await tcp.read(bytes) ?? 0))).toBe("still");
    await eventually(() => old.manager.tail().includes('"connections":1'), { what: "one connection to be waited for" });
    expect(ended).toBe(0);

    tcp.closeWrite();
    const closed = performance.now();
    expect(await Promise.all(hooks)).toEqual(["200 OK", "200 OK", "200 OK"]);
    expect(performance.now() - closed).toBeLessThan(5_000);
    // Three hooks, one drain.
    expect(old.manager.lines.filter((line) => line.includes("Envoy has drained"))).toHaveLength(1);
    expect((await Deno.stat(`${FOLDER}/ok-${old.port}`)).size).toBe(0);
    expect((await old.manager.stop()).code).toBe(0);
    await old.envoy.stop();

    const after = load.requests + 50;
    await eventually(() => load.requests > after, { what: "requests after the end" });
    const { failed, failures, closed: sent } = await load.stop();
    expect([failed, failures]).toEqual([0, []]);
    expect(sent).toBeGreaterThan(0);
  }
  upstream.close();
  await serving;
});

/** Drains an Envoy with an HTTP connection and a UDP session. */
async function drainBoth(strategy: string): Promise<void> {
  await using upstream = new Datagrams();
  const pod = await startPod(await upstream.port(), "--drain-time-s", "60", "--drain-strategy", strategy);
  await using _envoy = pod.envoy;
  await using _manager = pod.manager;
  await using client = new Datagrams();
  const sessions = () => pod.envoy.stat("udp.udp.downstream_sess_active");
  await eventually(async () => {
    client.send(pod.udp);
    return await sessions() === 1;
  }, { what: "a UDP session" });
  using http = await Deno.connect({ hostname: "127.0.0.1", port: pod.http });
  const ask = async () => {
    await http.write(new TextEncoder().encode("GET / HTTP/1.1\r\nhost: shop\r\n\r\n"));
    const bytes = new Uint8Array(4096);
    return new TextDecoder().decode(bytes.subarray(0, await http.read(bytes) ?? 0));
  };
  expect(await ask()).not.toMatch(/connection: close/i);

  const hook = get(pod.port, "/drain");
  await eventually(() => pod.manager.tail().includes('"connections":2'), { what: "both to be counted" });
  expect(await ask()).toMatch(/connection: close/i);
  await eventually(() => {
    client.send(pod.udp);
    return pod.manager.tail().includes('"connections":1');
  }, { what: "the session to be waited for alone", explain: () => pod.manager.tail() });
  expect(await hook).toBe("200 OK");
  const counted = pod.manager.lines.map((line) => /"connections":(\d+)/.exec(line)?.[1]).filter(Boolean);
  expect(counted).toEqual(["2", "1", "0", "0"]); // one at a time, and it ends with the last
}

Deno.test("C13: by either strategy connections end at their next answer, and UDP sessions are waited for", async () => {
  await Promise.all(["gradual", "immediate"].map(drainBoth));
});

Deno.test("C12: an idle pod does not wait for 15 s, and one whose Envoy has ended does not wait at all", async () => {
  const pod = await startPod(1);
  await using _manager = pod.manager;
  {
    await using _envoy = pod.envoy;
    const start = performance.now();
    expect(await get(pod.port, "/drain")).toBe("200 OK");
    const took = performance.now() - start;
    expect(took).toBeGreaterThan(2_900); // until nobody sends it anything
    expect(took).toBeLessThan(8_000);
    expect(await get(pod.port, "/shutdown")).toBe("200 OK");
    expect(await get(pod.port, "/other")).toBe("404 Not found");
  }
  const port = freePort();
  await using lonely = startManager(port, "--envoy-admin-address", `http://127.0.0.1:${freePort()}`);
  await eventually(async () => (await get(port, "/healthz")) === "200 OK", { what: "it to answer" });
  expect(await get(port, "/drain")).toBe("200 OK");
  expect(lonely.tail()).toContain("Envoy has ended");
});

Deno.test("C14: a port that is taken ends a shutdown manager with a reason", async () => {
  const taken = Deno.listen({ hostname: "::", port: 0 });
  const port = taken.addr.transport === "tcp" ? taken.addr.port : 0;
  await using manager = startManager(port);
  const { code } = await eventually(() => manager.ended, { what: "it to end" });
  taken.close();
  expect(code).toBe(2);
  expect(manager.tail()).toContain(`Cannot serve hooks on port ${port}: `);
});

Deno.test("S5: only who belongs to the pod may begin a drain", async () => {
  const address = Deno.networkInterfaces().find(({ family, address }) =>
    family === "IPv4" && !address.startsWith("127.")
  );
  const outside = address?.address;
  const port = freePort();
  await using manager = startManager(port, "--drain-token", "secret-of-the-pod", "--check-drain-delay", "0");
  await eventually(async () => {
    if (manager.ended) throw new Hopeless(manager.tail());
    return (await get(port, "/healthz")) === "200 OK";
  }, { what: "it to answer" });
  if (outside !== undefined) {
    for (const headers of [{}, { "x-chancery-drain": "wrong" }, { "x-chancery-drain": "secret-of-the-po" }]) {
      expect(await get(port, "/drain", headers, outside)).toMatch(/^403 Cannot drain: /);
    }
    expect(manager.tail()).not.toContain('drain"');
    expect(await get(port, "/drain", { "x-chancery-drain": "secret-of-the-pod" }, outside)).toBe("200 OK");
  }
  expect(await get(port, "/drain")).toBe("200 OK");
  expect(manager.tail()).not.toContain("secret-of-the-pod");
});

Deno.test("a shutdown manager that is told to end during a drain carries it to its end", async () => {
  const pod = await startPod(1);
  await using _envoy = pod.envoy;
  await using _manager = pod.manager;
  const held = await Deno.connect({ hostname: "127.0.0.1", port: pod.http });
  await eventually(async () => await pod.envoy.stat("http.edge.downstream_cx_active") === 1, { what: "a connection" });
  const hooks = [get(pod.port, "/drain"), get(pod.port, "/shutdown")];
  await eventually(() => pod.manager.tail().includes("Waiting for connections"), { what: "the drain" });
  pod.manager.signal("SIGTERM");
  await eventually(() => pod.manager.tail().includes("Ending when the drain has ended"), { what: "the signal" });
  expect(await get(pod.port, "/healthz")).toBe("200 OK");
  held.close();
  expect(await Promise.all(hooks)).toEqual(["200 OK", "200 OK"]);
  const { code } = await eventually(() => pod.manager.ended, { what: "its end" });
  expect(code).toBe(0);
});
