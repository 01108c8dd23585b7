/**
 * Addresses and ports of the loopback. All of 127.0.0.0/8 is this machine, so that each pod and each client can have an address of
 * its own.
 * @module
 */

/** Address of the pod with a number, 1 to 250. */
export function podAddress(number: number): string {
  return `127.77.0.${number}`;
}

/** Address of the client with a number, 1 to 250. */
export function clientAddress(number: number): string {
  return `127.78.0.${number}`;
}
