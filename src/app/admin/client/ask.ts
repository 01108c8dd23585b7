import { ChanceryError, type ErrorCode, errorMessage } from "../../../base/mod.ts";
import { type Address, formatAddress } from "../../../bootstrap/mod.ts";

/** Options of {@linkcode askAdmin}. */
export interface AskAdminOptions {
  /** Sent as JSON by POST; without it the request is a GET. */
  readonly body?: unknown;
  /** Milliseconds; a minute when absent. */
  readonly timeoutMs?: number;
}

/** Nobody answers at the address. */
export class Unreachable extends ChanceryError {
  constructor(address: Address, thrown: unknown) {
    const why = reasonOf(thrown);
    super("unavailable", `Cannot reach ${JSON.stringify(formatAddress(address))}: ${why}`, { cause: thrown });
  }
}

/**
 * Asks the admin interface at an address and gives what it answered. Throws {@linkcode Unreachable} when nobody listens, and
 * what the process said when it could not do it. Proxies of the environment do not count: an admin interface is near.
 */
export async function askAdmin(address: Address, path: string, options: AskAdminOptions = {}): Promise<unknown> {
  const { body, timeoutMs = 60_000 } = options;
  using client = Deno.createHttpClient({ proxy: transportOf(address) });
  let response: Response;
  try {
    response = await fetch(`http://${address.kind === "unix" ? "localhost" : formatAddress(address)}${path}`, {
      client,
      redirect: "error",
      signal: AbortSignal.timeout(timeoutMs),
      ...(body !== undefined && {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      }),
    });
  } catch (thrown) {
    if (thrown instanceof TypeError) throw new Unreachable(address, thrown); // fetch's word for "no connection"
    const shown = JSON.stringify(formatAddress(address));
    throw new ChanceryError("unavailable", `Cannot get an answer from ${shown} in time`, { cause: thrown });
  }
  const text = await response.text().catch(() => "");
  if (response.ok) return parsed(text, address);
  throw new ChanceryError(CODES[response.status] ?? "internal", refusalOf(text) || response.statusText);
}

const CODES: Readonly<Record<number, ErrorCode>> = {
  400: "invalid-input",
  403: "forbidden",
  404: "not-found",
  409: "conflict",
  503: "unavailable",
};

function transportOf(address: Address): Deno.Proxy {
  if (address.kind === "unix") return { transport: "unix", path: address.path };
  const hostname = address.host.includes(":") ? `[${address.host}]` : address.host;
  return { transport: "tcp", hostname, port: address.port };
}

function parsed(text: string, address: Address): unknown {
  try {
    return JSON.parse(text);
  } catch (thrown) {
    const shown = JSON.stringify(formatAddress(address));
    throw new ChanceryError("unavailable", `Cannot read the answer of ${shown}: it is no admin interface of Chancery`, {
      cause: thrown,
    });
  }
}

/** What the interface said, as JSON or, where it was no JSON yet, as text. */
function refusalOf(text: string): string {
  try {
    const answer: unknown = JSON.parse(text);
    return typeof answer === "object" && answer !== null && "error" in answer ? String(answer.error) : "";
  } catch {
    return text.trim().slice(0, 500);
  }
}

function reasonOf(thrown: unknown): string {
  const chain = errorMessage(thrown instanceof Error && thrown.cause !== undefined ? thrown.cause : thrown);
  const last = chain.slice(chain.lastIndexOf(": ") + (chain.includes(": ") ? 2 : 0));
  return last.replace(/ \(os error \d+\)$/, "").replace(/^[A-Z]/, (letter) => letter.toLowerCase());
}
