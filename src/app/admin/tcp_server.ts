import type { Hono } from "hono";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";

/** What strangers on a TCP port may cost. */
export interface TcpLimits {
  /** Connections at a time; a further one is closed at once. */
  readonly connections: number;
  /** How long a client may take to send its headers, and to do nothing at all. Milliseconds. */
  readonly patienceMs: number;
}

const DEFAULT_LIMITS: TcpLimits = { connections: 256, patienceMs: 10_000 };

/**
 * Serves a read-only app: bodies of requests are not read. By `node:http`, because `Deno.serve` waits for ever for a client
 * that sends half a request, and file descriptors are shared with the xDS server. An empty host stands for all addresses.
 */
export function listenTcp(
  app: Hono,
  { host, port, limits = DEFAULT_LIMITS }: { host: string; port: number; limits?: TcpLimits },
): Promise<{ port: number; close(): Promise<void> }> {
  const { connections, patienceMs } = limits;
  const server = createServer({
    headersTimeout: patienceMs,
    requestTimeout: patienceMs,
    keepAliveTimeout: patienceMs,
    connectionsCheckingInterval: Math.min(1_000, patienceMs),
    maxHeaderSize: 16_384,
  }, (request, response) => void answer(app, { request, response }));
  server.maxConnections = connections;
  server.setTimeout(patienceMs);
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ port, ...(host === "" ? {} : { host }) }, () => {
      server.off("error", reject);
      server.on("error", () => {}); // of one accept: no file descriptors left, say
      const address = server.address();
      resolve({
        port: typeof address === "object" && address ? address.port : port,
        close: () => closed(server),
      });
    });
  });
}

async function answer(
  app: Hono,
  { request, response }: { request: IncomingMessage; response: ServerResponse },
): Promise<void> {
  try {
    const headers = new Headers();
    for (const [name, value] of Object.entries(request.headers)) {
      if (typeof value === "string") headers.set(name, value);
    }
    const url = new URL(request.url ?? "/", "http://localhost");
    const answered = await app.fetch(new Request(url, { method: request.method ?? "GET", headers }));
    const body = new Uint8Array(await answered.arrayBuffer());
    response.writeHead(answered.status, { ...Object.fromEntries(answered.headers), "content-length": body.length });
    response.end(request.method === "HEAD" ? undefined : body);
  } catch {
    // No URL, no method that fetch knows: whoever sends that needs no explanation.
    if (!response.headersSent) response.writeHead(400);
    response.end();
  }
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
