import { isIPv4, isIPv6 } from "node:net";

/**
 * Whether a host to bind to is reached from this machine only. A name other than `localhost` is not, since it may resolve to
 * anything.
 */
export function isLoopback(host: string): boolean {
  const bare = host.startsWith("[") && host.endsWith("]") ? host.slice(1, -1) : host;
  if (bare.toLowerCase() === "localhost") return true;
  const v4 = bare.replace(/^::ffff:/i, "");
  if (isIPv4(v4)) return v4.startsWith("127.");
  return isIPv6(bare) && /^[0:]+1$/.test(bare);
}
