import { expect } from "expect";
import { type Authority, createAuthority } from "../../../tests/certificates.ts";
import { eventually } from "../../../tests/envoy/harness/mod.ts";
import { ManualClock } from "../../base/mod.ts";
import { parseAddress } from "../../bootstrap/mod.ts";
import { type EmbeddedStore, openMemoryStore } from "../../store/mod.ts";
import { createLogger } from "../../telemetry/mod.ts";
import { type RunningWebhook, startWebhook, type WebhookOptions } from "./mod.ts";

/** For conditions, however busy the machine is. */
const DEADLINE_MS = 30_000;

const PATH = "/validate-marin3r-3scale-net-v1alpha1-envoyconfig";

/** A webhook of this process over a store in memory, with its certificate in a folder of its own. */
class TestWebhook implements AsyncDisposable {
  readonly store: EmbeddedStore = openMemoryStore({ clock: new ManualClock() });
  readonly log: string[] = [];
  readonly dir: string;
  readonly authority: Authority;
  readonly #stop = new AbortController();
  #running: Promise<RunningWebhook> | undefined;

  private constructor(dir: string, authority: Authority) {
    this.dir = dir;
    this.authority = authority;
  }

  static async make(): Promise<TestWebhook> {
    return new TestWebhook(await Deno.makeTempDir({ prefix: "webhook" }), await createAuthority());
  }

  /** Writes another certificate; gives back its name. */
  async certify(commonName: string): Promise<void> {
    const { cert, key } = await this.authority.issue({ commonName, dns: ["localhost"], ips: ["127.0.0.1"] });
    await Deno.writeTextFile(`${this.dir}/tls.key`, key);
    await Deno.writeTextFile(`${this.dir}/tls.crt`, cert);
  }

  start(options: Partial<WebhookOptions> = {}): Promise<RunningWebhook> {
    return this.#running = startWebhook({
      webhookHost: "127.0.0.1",
      webhookPort: 0,
      tlsDir: this.dir,
      tlsCertName: "tls.crt",
      tlsKeyName: "tls.key",
      watchNamespace: [],
      nodeIdScope: "namespace",
      image: "example.com/chancery:test",
      envoyImage: undefined,
      webhookService: undefined,
      leaseNamespace: undefined,
      shutdownDelay: 0,
      kubeconfig: undefined,
      context: undefined,
      debug: false,
      logFormat: "json",
      logLevel: "debug",
      metricsBindAddress: parseAddress("127.0.0.1:0", { anyPort: true }),
      healthProbeBindAddress: parseAddress("127.0.0.1:0", { anyPort: true }),
      ...options,
    }, {
      host: { version: "0", envoyApi: "0" },
      log: createLogger({ now: () => 0, write: (line) => void this.log.push(line), level: "debug" }),
      signal: this.#stop.signal,
      openStore: () =>
        Promise.resolve({
          store: this.store,
          problem: () => undefined,
          [Symbol.asyncDispose]: () => Promise.resolve(),
        }),
    });
  }

  /** A client that trusts the authority. */
  client(): Deno.HttpClient {
    return Deno.createHttpClient({ caCerts: [this.authority.cert], poolIdleTimeout: 10_000 });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort(new Error("the test is over"));
    await this.#running?.then((running) => running[Symbol.asyncDispose](), () => {});
    await this.store.close();
    await Deno.remove(this.dir, { recursive: true });
  }
}

function review(spec: unknown, more: Record<string, unknown> = {}): string {
  return JSON.stringify({
    kind: "AdmissionReview",
    apiVersion: "admission.k8s.io/v1",
    request: {
      uid: "u",
      operation: "CREATE",
      resource: { group: "marin3r.3scale.net", version: "v1alpha1", resource: "envoyconfigs" },
      namespace: "demo",
      name: "edge",
      object: { metadata: { name: "edge", namespace: "demo" }, spec },
      ...more,
    },
  });
}

const GOOD = review({ nodeID: "edge", resources: [] });

interface Answer {
  readonly status: number;
  readonly body: string;
  readonly headers: Headers;
}

async function post(
  url: string,
  { client, body = GOOD, ...init }: { client: Deno.HttpClient; body?: string } & RequestInit,
): Promise<Answer> {
  const headers = { "content-type": "application/json" };
  const response = await fetch(url, { client, method: "POST", headers, body, ...init });
  return { status: response.status, body: await response.text(), headers: response.headers };
}

Deno.test("O7: a webhook answers reviews, says precisely what it cannot answer, and counts both", async () => {
  await using webhook = await TestWebhook.make();
  await webhook.certify("first");
  const { addresses } = await webhook.start();
  using client = webhook.client();
  const ask = (path: string, options: { body?: string } & RequestInit = {}) =>
    post(`https://${addresses.webhook}${path}`, { client, ...options });

  expect(JSON.parse((await ask(PATH)).body).response).toEqual({ uid: "u", allowed: true });
  const refused = await ask(`${PATH}?timeout=10s`, { body: review({ nodeID: "edge" }) });
  expect([refused.status, JSON.parse(refused.body).response]).toEqual([200, {
    uid: "u",
    allowed: false,
    status: {
      code: 403,
      reason: "Forbidden",
      message: "spec: exactly one of resources and envoyResources must be set",
    },
  }]);

  const cannot = "Cannot read the admission review: ";
  expect(await ask("/other")).toMatchObject({ status: 404, body: "Cannot review: nothing is reviewed at this path\n" });
  expect(await ask(PATH, { method: "PUT" })).toMatchObject({
    status: 405,
    body: `Cannot review by PUT ${PATH}: use POST\n`,
  });
  expect(await ask(PATH, { headers: { "content-type": "text/yaml" } })).toMatchObject({
    status: 415,
    body: `${cannot}its content type is not application/json\n`,
  });
  expect(await ask(PATH, { body: "canary" })).toMatchObject({ status: 400, body: `${cannot}the body is not JSON\n` });
  expect(await ask(PATH, { body: "" })).toMatchObject({ status: 400, body: `${cannot}the body is not JSON\n` });
  expect(await ask(PATH, { body: "[".repeat(3_000_000) })).toMatchObject({ status: 400 });
  const large = `{"a":"${"x".repeat(8_000_000)}"}`;
  expect(await ask(PATH, { body: large })).toMatchObject({
    status: 413,
    body: `${cannot}the body has more than 7340032 bytes\n`,
  });
  expect((await ask(PATH)).status).toBe(200);

  const metrics = await (await fetch(`http://${addresses.metrics}/metrics`)).text();
  const counted = [...metrics.matchAll(/^chancery_admission_requests_total\{(.*)\} (\d+)$/gm)].map(([, labels, n]) =>
    `${labels!.replace(`path="${PATH}"`, "path").replaceAll('"', "")} ${n}`
  );
  expect(counted).toEqual([
    "path,result=allowed,reason=valid 2",
    "path,result=denied,reason=invalid 1",
    "path=other,result=failed,reason=unknown-path 1",
    "path,result=failed,reason=method 1",
    "path,result=failed,reason=content-type 1",
    "path,result=failed,reason=unreadable 3",
    "path,result=failed,reason=too-large 1",
  ]);
  expect(metrics).toContain(`chancery_admission_duration_seconds_count{path="${PATH}",result="allowed"} 2`);
  expect(webhook.log.join("")).not.toContain("canary");
});

Deno.test("a webhook is alive before its certificate is there, and ready only after", async () => {
  await using webhook = await TestWebhook.make();
  const probes = parseAddress("127.0.0.1:0", { anyPort: true });
  const port = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const free = port.addr.transport === "tcp" ? port.addr.port : 0;
  port.close();
  const starting = webhook.start({ healthProbeBindAddress: { ...probes, port: free } as typeof probes });
  const probe = async (path: string) => {
    const response = await fetch(`http://127.0.0.1:${free}${path}`);
    return `${response.status} ${await response.text()}`;
  };
  const missing = `there is no such file`;
  const told = await eventually(async () => {
    const text = await probe("/readyz");
    return text.includes(missing) && text;
  }, { what: "readyz says what is missing", deadlineMs: DEADLINE_MS });
  expect(told).toContain("503 not ready\nstarting\nCannot use the TLS files: ");
  expect(await probe("/healthz")).toBe("200 ok\n");
  await webhook.certify("late");
  await starting;
  expect(await probe("/readyz")).toBe("200 ok\n");
});

Deno.test("W3: a webhook knows who has a node id, and looks again before it refuses", async () => {
  await using webhook = await TestWebhook.make();
  await webhook.certify("first");
  const apply = (name: string, nodeID: string) =>
    webhook.store.apply({
      apiVersion: "marin3r.3scale.net/v1alpha1",
      kind: "EnvoyConfig",
      metadata: { name, namespace: "demo" },
      spec: { nodeID, resources: [] },
    }, { fieldManager: "test" });
  await apply("old", "edge");
  const { addresses } = await webhook.start();
  using client = webhook.client();
  const ask = async () => JSON.parse((await post(`https://${addresses.webhook}${PATH}`, { client })).body).response;
  expect((await ask()).status.message).toBe(
    '{"errors":["spec.nodeID: node id \\"edge\\" is taken by EnvoyConfig \\"demo/old\\", and Envoys get the configuration of the older one only"]}',
  );
  // Renamed in one go: the watch may tell of it only after the review has come.
  await webhook.store.remove({ kind: "EnvoyConfig", namespace: "demo", name: "old" });
  expect((await ask()).allowed).toBe(true);
  await apply("new", "edge");
  await eventually(async () => !(await ask()).allowed, { what: "the watch told", deadlineMs: DEADLINE_MS });
});

Deno.test("a webhook takes another certificate while requests go on, and none of them fails", async () => {
  await using webhook = await TestWebhook.make();
  await webhook.certify("first");
  const { addresses } = await webhook.start();
  let stop = false;
  let answered = 0;
  const load = Array.from({ length: 4 }, async () => {
    using kept = webhook.client();
    while (!stop) {
      expect((await post(`https://${addresses.webhook}${PATH}`, { client: kept })).status).toBe(200);
      using fresh = webhook.client();
      expect((await post(`https://${addresses.webhook}${PATH}`, { client: fresh })).status).toBe(200);
      answered += 2;
    }
  });
  await webhook.certify("second");
  await eventually(
    () => webhook.log.some((line) => line.includes("The certificate was reloaded")),
    { what: "the certificate was reloaded", deadlineMs: DEADLINE_MS },
  );
  const before = answered;
  await eventually(() => answered > before + 20, { what: "requests go on", deadlineMs: DEADLINE_MS });
  expect(await presented(addresses.webhook, webhook.authority)).toContain("CN=second");
  // What is no certificate is told and not taken.
  await Deno.writeTextFile(`${webhook.dir}/tls.crt`, "garbage");
  await eventually(
    () => webhook.log.some((line) => line.includes('there is no PEM block \\"CERTIFICATE\\"')),
    { what: "garbage is told", deadlineMs: DEADLINE_MS },
  );
  expect(await presented(addresses.webhook, webhook.authority)).toContain("CN=second");
  stop = true;
  await Promise.all(load);
});

/** Subject of the certificate that a new connection is shown. */
async function presented(address: string, authority: Authority): Promise<string> {
  const { connect } = await import("node:tls");
  const { hostname, port } = new URL(`https://${address}`);
  return await new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), ca: authority.cert }, () => {
      const { subject } = socket.getPeerCertificate();
      socket.destroy();
      resolve(Object.entries(subject).map(([name, value]) => `${name}=${value}`).join(","));
    });
    socket.on("error", reject);
  });
}

Deno.test("a webhook that is told to end answers what it has begun, and tells clients to connect anew", async () => {
  await using webhook = await TestWebhook.make();
  await webhook.certify("first");
  const running = await webhook.start({ shutdownDelay: 300 });
  using client = webhook.client();
  const url = `https://${running.addresses.webhook}${PATH}`;
  expect((await post(url, { client })).headers.get("connection")).not.toBe("close");
  const slow = new TransformStream<Uint8Array, Uint8Array>();
  const writer = slow.writable.getWriter();
  const begun = fetch(url, {
    client,
    method: "POST",
    headers: { "content-type": "application/json" },
    body: slow.readable,
  });
  await writer.write(new TextEncoder().encode(GOOD.slice(0, 20)));
  const ended = running[Symbol.asyncDispose]();
  expect(await (await fetch(`http://${running.addresses.probes}/readyz`)).text()).toBe("not ready\nshutting down\n");
  expect((await post(url, { client })).status).toBe(200);
  await writer.write(new TextEncoder().encode(GOOD.slice(20)));
  await writer.close();
  const response = await begun;
  expect([response.status, JSON.parse(await response.text()).response.allowed]).toEqual([200, true]);
  await ended;
  using other = webhook.client();
  await expect(post(url, { client: other })).rejects.toThrow();
});

Deno.test("clients that say nothing, half a request or nonsense cost no answer of others", async () => {
  await using webhook = await TestWebhook.make();
  await webhook.certify("first");
  const { addresses } = await webhook.start();
  const { hostname, port } = new URL(`https://${addresses.webhook}`);
  const caCerts = [webhook.authority.cert];
  const strangers: Deno.Conn[] = [];
  for (let i = 0; i < 20; i++) strangers.push(await Deno.connect({ hostname, port: Number(port) }));
  await strangers[0]!.write(new TextEncoder().encode(`POST ${PATH} HTTP/1.1\r\n\r\n`)); // no TLS
  const halves = [
    "GET",
    `POST ${PATH} HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{`,
    "\0\0",
  ];
  for (const half of halves) {
    const stranger = await Deno.connectTls({ hostname, port: Number(port), caCerts });
    await stranger.write(new TextEncoder().encode(half));
    strangers.push(stranger);
  }
  using client = webhook.client();
  for (let i = 0; i < 20; i++) {
    expect((await post(`https://${addresses.webhook}${PATH}`, { client })).status).toBe(200);
  }
  for (const stranger of strangers) stranger.close();
  expect((await post(`https://${addresses.webhook}${PATH}`, { client })).status).toBe(200);
});

Deno.test("a webhook gives up on a body that does not come before the API server does", async () => {
  await using webhook = await TestWebhook.make();
  await webhook.certify("first");
  const { addresses } = await webhook.start();
  using client = webhook.client();
  const silent = new TransformStream<Uint8Array, Uint8Array>();
  const writer = silent.writable.getWriter();
  const answer = fetch(`https://${addresses.webhook}${PATH}?timeout=500ms`, {
    client,
    method: "POST",
    headers: { "content-type": "application/json" },
    body: silent.readable,
  });
  await writer.write(new TextEncoder().encode("{"));
  const response = await answer;
  expect([response.status, await response.text()]).toEqual([
    504,
    "Cannot review: the request did not arrive in time\n",
  ]);
  await writer.close().catch(() => {});
});
