import { cacheFolder } from "../../../scripts/envoy/mod.ts";

/**
 * Below 32768, because the kernel hands out the ones above to outgoing connections, of which the load clients make many; above those of
 * control planes.
 */
const FIRST = 22_000;
const PER_FILE = 625;
const BLOCKS = 16;

/**
 * A port of the loopback that nobody uses. Test files that run at the same time never get the same one, since whoever gets it may
 * open it much later, and again after a restart.
 */
export function freePort(): number {
  for (let tries = 0; tries < PER_FILE; tries++) {
    // Around in a circle: what was given away last is given away again as late as can be.
    const port = block + given++ % PER_FILE;
    try {
      Deno.listen({ hostname: "127.0.0.1", port }).close();
    } catch (error) {
      if (error instanceof Deno.errors.AddrInUse) continue;
      throw error;
    }
    return port;
  }
  throw new Error(`Cannot find a free port between ${block} and ${block + PER_FILE}`);
}

/** How many ports of the block were tried; their users may not have opened them yet. */
let given = 0;

/** The first port of this test file: each block has a file, and whoever holds its lock holds the block. The kernel gives locks back. */
const block = takeBlock();

function takeBlock(): number {
  const folder = `${cacheFolder()}/ports`;
  Deno.mkdirSync(folder, { recursive: true });
  const start = Math.floor(Math.random() * BLOCKS);
  for (let n = 0; n < BLOCKS; n++) {
    const first = FIRST + ((start + n) % BLOCKS) * PER_FILE;
    const lock = Deno.openSync(`${folder}/${first}`, { create: true, write: true });
    if (lock.tryLockSync(true)) return first; // held open until the end
    lock.close();
  }
  throw new Error(`Cannot find free ports between ${FIRST} and ${FIRST + BLOCKS * PER_FILE}`);
}
