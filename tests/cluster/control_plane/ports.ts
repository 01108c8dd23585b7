import { cacheFolder } from "../../../scripts/envoy/mod.ts";
import type { Ports } from "./component.ts";

/** Below the range that the kernel gives to outgoing connections, so that a stopped component finds its port free again. */
const FIRST = 20_000;
const PER_INSTANCE = 4;
const INSTANCES = 500;

/** Ports that are ours until `release` is called or this process ends. */
export interface PortReservation {
  readonly ports: Ports;
  release(): void;
}

/**
 * Takes a block of ports of which no other control plane on this machine takes one, however many start at once: each block has
 * a file, and whoever holds its lock holds the block. The kernel gives locks back when a process dies.
 * @throws {Error} when every block is taken
 */
export async function reservePorts(): Promise<PortReservation> {
  const folder = `${cacheFolder()}/control-plane/ports`;
  await Deno.mkdir(folder, { recursive: true });
  const start = Math.floor(Math.random() * INSTANCES);
  for (let n = 0; n < INSTANCES; n++) {
    const first = FIRST + ((start + n) % INSTANCES) * PER_INSTANCE;
    const lock = await Deno.open(`${folder}/${first}`, { create: true, write: true });
    if (await lock.tryLock(true) && [0, 1, 2].every((offset) => isFree(first + offset))) {
      return { ports: { api: first, etcd: first + 1, etcdPeer: first + 2 }, release: () => lock.close() };
    }
    lock.close();
  }
  throw new Error(`Cannot find free ports between ${FIRST} and ${FIRST + INSTANCES * PER_INSTANCE}`);
}

function isFree(port: number): boolean {
  try {
    Deno.listen({ hostname: "127.0.0.1", port }).close();
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.AddrInUse) return false;
    throw error;
  }
}
