/**
 * A client of a Service, for tests: asks it by HTTP/1.1 and HTTP/2 all the time, and tells on port 8080 what came of it. Its argument
 * is the Service's address.
 * @module
 */
import { startLoad } from "../../envoy/harness/load.ts";

/** What a client tells. */
export interface ClientReport {
  readonly http1: { readonly requests: number; readonly closed: number; readonly failures: readonly string[] };
  readonly http2: { readonly requests: number; readonly failures: readonly string[] };
  /** Names of the pods that answered. */
  readonly pods: readonly string[];
}

if (import.meta.main) {
  const [hostname = ""] = Deno.args;
  const load = startLoad({ target: { hostname, port: 80 }, host: "shop", keepAlive: 2, fresh: 1 });
  const http2 = { requests: 0, failures: [] as string[] };
  const pods = new Set<string>();
  Deno.serve({ port: 8080, onListen: () => {} }, () => {
    const { requests, closed, failures, bodies } = load;
    return Response.json(
      { http1: { requests, closed, failures }, http2, pods: [...pods, ...bodies.keys()] } satisfies ClientReport,
    );
  });
  Deno.addSignalListener("SIGTERM", () => Deno.exit(0));
  // One connection for as long as the server allows, and many requests on it.
  const client = Deno.createHttpClient({ http1: false, http2: true });
  const ask = async () => {
    while (true) {
      http2.requests++;
      try {
        const response = await fetch(`http://${hostname}/`, { client, signal: AbortSignal.timeout(5_000) });
        const body = await response.text();
        if (response.status === 200) pods.add(body);
        else http2.failures.push(`status ${response.status}: ${body}`);
      } catch (thrown) {
        http2.failures.push(thrown instanceof Error ? `${thrown.message} (${thrown.cause ?? ""})` : String(thrown));
      }
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  };
  await Promise.all([ask(), ask()]);
}
