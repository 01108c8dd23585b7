/**
 * A port of the loopback that nobody uses. Below 32768, because the kernel hands out the ones above to outgoing connections,
 * of which the load clients make many.
 */
export function freePort(): number {
  for (let tries = 0; tries < 200; tries++) {
    const port = 15_000 + Math.floor(Math.random() * 17_000);
    if (given.has(port)) continue;
    try {
      Deno.listen({ hostname: "127.0.0.1", port }).close();
    } catch (error) {
      if (error instanceof Deno.errors.AddrInUse) continue;
      throw error;
    }
    given.add(port);
    return port;
  }
  throw new Error("Cannot find a free port below 32768");
}

/** Ports already given away in this process, which their users may not have opened yet. */
const given = new Set<number>();
