import type { EnvoyPodOptions } from "./options.ts";

/** Between the port that everybody may ask and the one of the admin interface itself, if both fit below 65536. */
const DISTANCE = 10_000;

/** Where the containers of a pod find the admin interface of its Envoy. */
export interface AdminPlaces {
  /** `ADDRESS:PORT` that it listens on. */
  readonly bind: string;
  /** `:PORT` that shows its status to everybody; `undefined`: whoever reaches it may ask it anything. */
  readonly status: string | undefined;
  /** How the pod itself asks it. */
  readonly url: string;
  /** Paths of the probes. */
  readonly live: string;
  readonly ready: string;
}

/**
 * The admin interface changes and tells whatever it is asked, so that it listens within the pod only (S5), and its port shows what
 * probes and scrapers need. An address that somebody names is listened on, as they say.
 */
export function adminPlaces(
  { admin, ports, shutdown }: Pick<EnvoyPodOptions, "admin" | "ports" | "shutdown">,
): AdminPlaces {
  const { address, port } = admin;
  if (address !== undefined) {
    const url = `http://${loopbackOf(address)}:${port}`;
    return { bind: `${address}:${port}`, status: undefined, url, live: "/server_info", ready: "/ready" };
  }
  const taken = new Set([port, ...ports.map((declared) => declared.port), ...(shutdown ? [shutdown.port] : [])]);
  let closed = port + DISTANCE > 65_535 ? port - DISTANCE : port + DISTANCE;
  while (taken.has(closed)) closed++;
  const bind = `127.0.0.1:${closed}`;
  return { bind, status: `:${port}`, url: `http://${bind}`, live: "/live", ready: "/ready" };
}

/** What listens on all addresses is asked by the nearest one. */
function loopbackOf(address: string): string {
  return address === "0.0.0.0" ? "127.0.0.1" : address === "[::]" ? "[::1]" : address;
}
