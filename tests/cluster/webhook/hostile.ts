/** A way to a webhook past the API server, as anybody in the cluster has it. */
export class Caller implements Disposable {
  readonly #client: Deno.HttpClient;
  readonly #to: { readonly port: number; readonly ca: string };

  constructor(to: { readonly port: number; readonly ca: string }) {
    this.#to = to;
    this.#client = Deno.createHttpClient({ caCerts: [to.ca], http2: false, poolMaxIdlePerHost: 0 });
  }

  /** Asks about a pod; status 0 when the connection was closed instead. */
  async post(body: BodyInit): Promise<{ readonly status: number; readonly text: string }> {
    try {
      const response = await fetch(`https://localhost:${this.#to.port}/pod-v1-mutate?timeout=30s`, {
        ...{ method: "POST", body, client: this.#client, headers: { "content-type": "application/json" } },
        signal: AbortSignal.timeout(60_000),
      });
      return { status: response.status, text: await response.text() };
    } catch (thrown) {
      return { status: 0, text: thrown instanceof Error ? thrown.message : String(thrown) };
    }
  }

  /** A connection of its own, on which `bytes` are sent. */
  async open(bytes = ""): Promise<Deno.TlsConn> {
    const { port, ca } = this.#to;
    const connection = await Deno.connectTls({ hostname: "localhost", port, caCerts: [ca] });
    await connection.handshake();
    if (bytes !== "") await connection.write(new TextEncoder().encode(bytes));
    return connection;
  }

  [Symbol.dispose](): void {
    this.#client.close();
  }
}

/** A review of a pod that asks for a sidecar, with so many bytes more in it. */
export function review(namespace: string, { uid = "one", more = 0 } = {}): string {
  const annotations = { "marin3r.3scale.net/node-id": "edge", note: "x".repeat(more) };
  const object = {
    ...{ apiVersion: "v1", kind: "Pod" },
    metadata: { name: "shop", labels: { "marin3r.3scale.net/status": "enabled" }, annotations },
    spec: { containers: [{ name: "app" }] },
  };
  const request = {
    ...{ uid, operation: "CREATE", namespace, object },
    resource: { group: "", version: "v1", resource: "pods" },
  };
  return JSON.stringify({ apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", request });
}

/** Bodies that nobody should send, each with what is said of it. */
export const HOSTILE_BODIES: readonly (readonly [name: string, body: () => string | Uint8Array, said: string])[] = [
  ["nothing", () => "", "the body is not JSON"],
  ["half of it", () => '{"kind":', "the body is not JSON"],
  ["no UTF-8", () => Uint8Array.of(0x7b, 0xff, 0xfe, 0x7d), "the body is not JSON"],
  ["a null", () => "null", "the body is no AdmissionReview"],
  ["a list", () => "[[]]", "the body is no AdmissionReview"],
  ["another kind", () => '{"kind":"Pod","apiVersion":"v1"}', "the body is no AdmissionReview"],
  ["lists in lists", () => "[".repeat(1_000_000), "more than 1000 levels"],
  ["objects in objects", () => '{"a":'.repeat(300_000), "more than 1000 levels"],
  ["an endless string", () => `"${'\\"'.repeat(1_000_000)}`, "the body is not JSON"],
  ["too much", () => new Uint8Array(100_000_000), "more than 7340032 bytes"],
];
