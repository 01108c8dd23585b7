import { ChanceryError } from "../../../base/mod.ts";
import type { Access } from "./access.ts";

/** How connections to the API server are made. */
export interface Route {
  /** What requests are addressed to: the server's address without credentials. */
  readonly base: string;
  /** `direct` leaves out the proxies that the environment names, `environment` takes them. */
  readonly by: "direct" | "environment" | { readonly proxyUrl: string };
}

/**
 * The way to the API server. As in kubectl the variables `HTTPS_PROXY` and `NO_PROXY` count, except on the same machine. In a
 * pod they do not either: they are meant for the world outside, and rarely name the address of the API server in `NO_PROXY`.
 */
export function routeTo({ server, inCluster, tlsServerName, proxyUrl, source }: Access): Route {
  if (tlsServerName !== undefined) {
    const why = "tls-server-name is not supported; use an address that the certificate of the API server names";
    throw new ChanceryError("invalid-input", `Cannot use ${source}: ${why}`);
  }
  const url = new URL(server);
  const base = `${url.protocol}//${url.host}${url.pathname.replace(/\/$/, "")}`;
  if (proxyUrl !== undefined) return { base, by: { proxyUrl } };
  return { base, by: inCluster || isLoopback(url.hostname) ? "direct" : "environment" };
}

function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || hostname.startsWith("127.");
}
