import type { Hono } from "hono";
import { ChanceryError, errorMessage } from "../../base/mod.ts";
import { type Address, formatAddress } from "../../bootstrap/mod.ts";
import { listenTcp } from "./tcp_server.ts";

/** A running HTTP server. */
export interface RunningAdmin {
  /** With the port that was really taken. */
  readonly address: Address;
  close(): Promise<void>;
}

/** Serves a read-only app on TCP; `what` names it in messages. Throws `unavailable` when the address is taken. */
export async function serveAdmin(
  app: Hono,
  bind: Address,
  { what = "the admin interface" }: { what?: string } = {},
): Promise<RunningAdmin> {
  if (bind.kind === "unix") return serveSocket(app, bind.path);
  try {
    const server = await listenTcp(app, bind);
    return { address: { ...bind, port: server.port }, close: () => server.close() };
  } catch (thrown) {
    throw cannotServe(bind, thrown, what);
  }
}

/** Serves on a Unix socket that only its owner can open. Throws `unavailable` when that is not possible. */
export function serveSocket(app: Hono, path: string): RunningAdmin {
  const bind: Address = { kind: "unix", path };
  try {
    removeSocket(path);
    // The mode is right from the first moment on; nothing else runs between these lines.
    const mask = Deno.umask(0o177);
    try {
      const server = Deno.serve({ path, onListen() {} }, (request) => app.fetch(request));
      return { address: bind, close: () => close(server).finally(() => removeSocket(path)) };
    } finally {
      Deno.umask(mask);
    }
  } catch (thrown) {
    throw cannotServe(bind, thrown);
  }
}

function cannotServe(bind: Address, thrown: unknown, what = "the admin interface"): ChanceryError {
  const address = JSON.stringify(formatAddress(bind));
  const why = thrown instanceof Error && "code" in thrown && thrown.code === "EADDRINUSE"
    ? "another program listens there"
    : errorMessage(thrown);
  return new ChanceryError("unavailable", `Cannot serve ${what} on ${address}: ${why}`, { cause: thrown });
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
