import type { ResourceItem } from "../api/mod.ts";
import { canonicalJson } from "../base/mod.ts";
import { shortHash } from "../base/hash/mod.ts";

/**
 * The version of what an EnvoyConfig wants (W23): the first 10 characters of lower-case base32 of SHA-256 over
 * `{"nodeID":…,"resources":[…]}` in canonical JSON. The order of items counts; the order of fields, Secrets and endpoints do
 * not. Fields that are not set leave no trace, so a new field of the API changes no version.
 */
export function revisionVersion(nodeID: string, resources: readonly ResourceItem[]): string {
  return shortHash(canonicalJson({ nodeID, resources }));
}
