import { ChanceryError, type ErrorCode } from "../../base/mod.ts";

/** Name of the Unix socket in the data directory over which a running process is told to do something. */
export const SOCKET_NAME = "admin.sock";

/** Options of {@linkcode askSocket}. */
export interface AskOptions {
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Milliseconds; a minute when absent. */
  readonly timeoutMs?: number;
}

/**
 * Posts to the process behind the socket of a data directory. `undefined` when nobody listens there. Throws what the process
 * answered when it could not do it.
 */
export async function askSocket(
  socket: string,
  path: string,
  options: AskOptions = {},
): Promise<{ answer: unknown } | undefined> {
  using client = Deno.createHttpClient({ proxy: { transport: "unix", path: socket } });
  let response: Response;
  try {
    response = await fetch(`http://localhost${path}`, {
      client,
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(options.body ?? {}),
      signal: AbortSignal.timeout(options.timeoutMs ?? 60_000),
    });
  } catch (thrown) {
    if (thrown instanceof TypeError) return undefined; // fetch's word for "no connection"
    throw new ChanceryError("unavailable", `Cannot get an answer from ${JSON.stringify(socket)} in time`, {
      cause: thrown,
    });
  }
  const answer: unknown = await response.json().catch(() => undefined);
  if (response.ok) return { answer };
  const said = typeof answer === "object" && answer !== null && "error" in answer
    ? String(answer.error)
    : response.statusText;
  throw new ChanceryError(CODES[response.status] ?? "internal", said);
}

const CODES: Readonly<Record<number, ErrorCode>> = {
  400: "invalid-input",
  403: "forbidden",
  404: "not-found",
  409: "conflict",
  503: "unavailable",
};
