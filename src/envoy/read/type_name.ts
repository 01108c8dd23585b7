import { suggest } from "../../base/mod.ts";
import type { Registry } from "../registry.ts";

/** `envoy.config.cluster.v3.Cluster` of `type.googleapis.com/envoy.config.cluster.v3.Cluster`. */
export function typeNameOf(url: string): string {
  return url.slice(url.lastIndexOf("/") + 1);
}

/** The same message of another package or version, else the nearest spelling. */
export function similarType(registry: Registry, name: string): string | undefined {
  const last = `.${name.slice(name.lastIndexOf(".") + 1)}`;
  let best: string | undefined;
  let bestShared = 0;
  for (const candidate of registry.names()) {
    if (!candidate.endsWith(last)) continue;
    const shared = sharedLength(candidate, name);
    if (shared > bestShared) [best, bestShared] = [candidate, shared];
  }
  return best ?? (name.length > MAX_NAME ? undefined : suggest(name, registry.names()));
}

const MAX_NAME = 200; // longer than any; comparing costs its square

function sharedLength(a: string, b: string): number {
  let i = 0;
  while (i < a.length && a[i] === b[i]) i++;
  return i;
}
