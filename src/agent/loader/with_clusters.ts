/**
 * A CDS file with the clusters that are wanted and those that are still in use. JSON, which is also YAML, so that Envoy reads
 * it under any name; the same clusters give the same bytes.
 */
export function withClusters(wanted: readonly unknown[], staying: readonly unknown[]): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(`${JSON.stringify({ resources: [...wanted, ...staying] })}\n`);
}
