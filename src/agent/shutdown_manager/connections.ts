/** What is asked of Envoy's statistics: the gauges that {@linkcode openConnections} adds up. */
export const CONNECTION_STATS = String
  .raw`^(listener\..*\.downstream_cx_active|http\..*\.downstream_cx_active|udp\..*\.downstream_sess_active)$`;

/** Envoy's own: not somebody's, or counted a second time per thread. */
const NOT_COUNTED =
  /^(listener|http)\.admin\.|^listener\.envoy_internal_|\.(worker_\d+|main_thread)\.downstream_cx_active$/;

/**
 * How many clients are connected, from the lines `name: value` of Envoy's `/stats` (C13). A listener counts its
 * connections whatever
 * they carry; HTTP/3 and UDP have no connection that a listener would count, so that HTTP is looked at, too, and
 * sessions are added.
 */
export function openConnections(stats: string): number {
  const sums = { listener: 0, http: 0, udp: 0 };
  for (const line of stats.split("\n")) {
    const at = line.lastIndexOf(": ");
    const name = line.slice(0, at);
    const value = Number(line.slice(at + 2));
    if (at < 0 || !Number.isFinite(value) || NOT_COUNTED.test(name)) continue;
    const kind = name.slice(0, name.indexOf("."));
    if (kind === "listener" || kind === "http" || kind === "udp") sums[kind] += value;
  }
  return Math.max(sums.listener, sums.http) + sums.udp;
}
