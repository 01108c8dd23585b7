/**
 * Whether one version of an object is known to be older than another. Versions of one API server are numbers that grow; of
 * others nothing is known.
 */
export function isOlderVersion(one: string | undefined, other: string | undefined): boolean {
  if (one === undefined || other === undefined || !/^\d+$/.test(one) || !/^\d+$/.test(other)) return false;
  return BigInt(one) < BigInt(other);
}
