import { ChanceryError } from "../../base/mod.ts";
import { type Registry, resourceTypeOf, toJson } from "../../envoy/mod.ts";
import { parsePublication, type Snapshot } from "../../snapshot/mod.ts";
import type { ServedDocument, ServedResource } from "./configs_document.ts";

/** What a node id is served; `wanted` are the resources to spell out, as `TYPE/NAME`. Secrets are redacted. */
export function servedDocument(
  nodeId: string,
  { snapshot, registry, wanted }: { snapshot: Snapshot | undefined; registry: Registry; wanted: ReadonlySet<string> },
): ServedDocument {
  if (!snapshot) throw new ChanceryError("not-found", `Nothing is served to node id ${JSON.stringify(nodeId)}`);
  const { rollbackCount } = parsePublication(snapshot.revision);
  const suffix = rollbackCount === 0 ? 0 : `-r${rollbackCount}`.length; // see versionOnWire()
  const resources: ServedResource[] = [];
  for (const { typeUrl, resources: named } of snapshot.types.values()) {
    const { short: type = typeUrl, message = "" } = resourceTypeOf(typeUrl) ?? {};
    for (const { name, version, external = false, body } of named.values()) {
      const one = { type, name, version: version.slice(0, version.length - suffix), external };
      resources.push(wanted.has(`${type}/${name}`) ? { ...one, body: toJson(registry, message, body) } : one);
    }
  }
  return { nodeId, publication: snapshot.revision, resources };
}
