import { ChanceryError } from "../../base/mod.ts";

/** Where a server listens or is reached. */
export type Address =
  | { readonly kind: "tcp"; readonly host: string; readonly port: number }
  | { readonly kind: "unix"; readonly path: string };

/**
 * Reads `HOST:PORT`, `[IPV6]:PORT` or `unix:PATH`. Port 0 is refused unless `anyPort` (a server that takes a free one), and
 * `:PORT` unless `anyHost` (a server that listens on all addresses; the host is then empty).
 * Throws `invalid-input` that says what is wrong with the text.
 */
export function parseAddress(text: string, options: { anyPort?: boolean; anyHost?: boolean } = {}): Address {
  const fail = (why: string) =>
    new ChanceryError("invalid-input", `Cannot read address ${JSON.stringify(text)}: ${why}`);
  if (text.startsWith("unix:")) {
    const path = text.slice("unix:".length).replace(/^\/\/(?=\/)/, ""); // unix:///run/x is what gRPC calls unix:/run/x
    if (path === "") throw fail("the path of the socket is missing");
    if (new TextEncoder().encode(path).length > 107) throw fail("the path of a Unix socket has at most 107 bytes");
    return { kind: "unix", path };
  }
  const match = /^(?:\[([^\]]*)\]|([^:[\]]*)):(\d+)$/.exec(text);
  if (!match) {
    throw fail(
      /^[\da-f.]*:[\da-f.]*:[\da-f:.]*$/i.test(text)
        ? "an IPv6 address needs brackets, as in [::1]:18000"
        : "HOST:PORT, [IPV6]:PORT or unix:PATH is needed",
    );
  }
  const host = match[1] ?? match[2] ?? "";
  const port = Number(match[3]);
  if (host === "" && !options.anyHost) throw fail("the host is missing; 0.0.0.0 or [::] stands for all addresses");
  if (match[1] !== undefined && !isIpv6(host)) throw fail("only an IPv6 address may stand in brackets");
  if (match[1] === undefined && host !== "" && !isIpv4(host) && !isHostName(host)) {
    throw fail("the host is no address and no DNS name");
  }
  if (port > 65535 || (port === 0 && !options.anyPort)) throw fail("a port is 1 to 65535");
  return { kind: "tcp", host, port };
}

/** The text that {@linkcode parseAddress} reads. */
export function formatAddress(address: Address): string {
  if (address.kind === "unix") return `unix:${address.path}`;
  return address.host.includes(":") ? `[${address.host}]:${address.port}` : `${address.host}:${address.port}`;
}

/** Whether `host` is an IP address, not a name. */
export function isIp(host: string): boolean {
  return isIpv4(host) || isIpv6(host);
}

function isIpv4(host: string): boolean {
  return /^\d{1,3}(\.\d{1,3}){3}$/.test(host) && host.split(".").every((part) => Number(part) <= 255);
}

function isIpv6(host: string): boolean {
  return host.includes(":") && URL.canParse(`http://[${host}]/`);
}

function isHostName(host: string): boolean {
  if (/^[\d.]+$/.test(host)) return false;
  return host.length <= 253 && /^(?!-)[\w-]{1,63}(?<!-)(\.(?!-)[\w-]{1,63}(?<!-))*\.?$/.test(host);
}
