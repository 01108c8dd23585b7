import type { ResourceItem } from "../api/mod.ts";

/** What the xDS secret of an item is made from, or `undefined` for other items. */
export function secretSource(item: ResourceItem): "tls" | "opaque" | undefined {
  if (item.type !== "secret") return undefined;
  return item.generateFromTlsSecret ? "tls" : item.generateFromOpaqueSecret ? "opaque" : undefined;
}

/**
 * The xDS name of each secret item, by position (W30):
 * - an opaque secret has its alias, a TLS secret its `alias` where one is given
 * - else it has the name of its Secret, as ever
 * - except a validation context whose Secret also gives a certificate under that name in the same config: it is called
 *   `<Secret>/validationContext`. No Secret can have such a name, so it takes no other's.
 */
export function secretNames(items: readonly ResourceItem[]): Map<number, string> {
  const certificates = new Set<string>();
  for (const item of items) {
    if (secretSource(item) === "tls" && item.blueprint !== "validationContext") {
      certificates.add(item.alias || item.generateFromTlsSecret!);
    }
  }
  const names = new Map<number, string>();
  for (const [index, item] of items.entries()) {
    const source = secretSource(item);
    if (source === "opaque") names.set(index, item.generateFromOpaqueSecret!.alias);
    if (source !== "tls") continue;
    const secret = item.generateFromTlsSecret!;
    const taken = item.blueprint === "validationContext" && certificates.has(secret);
    names.set(index, item.alias || (taken ? `${secret}/validationContext` : secret));
  }
  return names;
}
