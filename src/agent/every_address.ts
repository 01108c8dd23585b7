/** What a server listens on that is to answer on all addresses, IPv4 and IPv6: Deno would take those of IPv4 alone. */
export function everyAddress(): string {
  return hasIpv6() ? "::" : "0.0.0.0";
}

/** Whether this network knows IPv6; a kernel may be without it, and a sandbox may forbid to listen: IPv4 is always there. */
export function hasIpv6(): boolean {
  try {
    Deno.listen({ hostname: "::", port: 0 }).close();
    return true;
  } catch {
    return false;
  }
}
