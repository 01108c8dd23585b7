import type { Hono } from "hono";
import { ChanceryError, errorMessage } from "../../base/mod.ts";
import { type Address, formatAddress } from "../../bootstrap/mod.ts";

/** A running HTTP server. */
export interface RunningAdmin {
  /** With the port that was really taken. */
  readonly address: Address;
  close(): Promise<void>;
}

/** Serves `app`; a Unix socket can be opened by its owner only. Throws `unavailable` when the address is taken. */
export function serveAdmin(app: Hono, bind: Address): RunningAdmin {
  const handler = (request: Request) => app.fetch(request);
  try {
    if (bind.kind === "tcp") {
      const server = Deno.serve({ hostname: bind.host, port: bind.port, onListen() {} }, handler);
      return { address: { ...bind, port: server.addr.port }, close: () => close(server) };
    }
    removeSocket(bind.path);
    // The mode is right from the first moment on; nothing else runs between these three lines.
    const mask = Deno.umask(0o177);
    try {
      const server = Deno.serve({ path: bind.path, onListen() {} }, handler);
      return { address: bind, close: () => close(server).finally(() => removeSocket(bind.path)) };
    } finally {
      Deno.umask(mask);
    }
  } catch (thrown) {
    if (thrown instanceof ChanceryError) throw thrown;
    const address = JSON.stringify(formatAddress(bind));
    throw new ChanceryError("unavailable", `Cannot serve the admin interface on ${address}: ${errorMessage(thrown)}`, {
      cause: thrown,
    });
  }
}

async function close(server: Deno.HttpServer): Promise<void> {
  // A client that keeps its connection open must not keep the process.
  const patience = AbortSignal.timeout(1_000);
  await Promise.race([
    server.shutdown(),
    new Promise<void>((resolve) => patience.addEventListener("abort", () => resolve(), { once: true })),
  ]);
}

/** Whoever left a socket here is dead: the lock of the data directory is ours. */
function removeSocket(path: string): void {
  try {
    if (Deno.lstatSync(path).isSocket) Deno.removeSync(path);
  } catch (thrown) {
    if (!(thrown instanceof Deno.errors.NotFound)) throw thrown;
  }
}
