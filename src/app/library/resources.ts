import { ChanceryError, formatFinding, hasErrors } from "../../base/mod.ts";
import { endpointsNameOf, envoyRegistry, readResource, RESOURCE_TYPES, type ResourceType } from "../../envoy/mod.ts";
import { contentVersion, type Resource, type Snapshot, snapshotOf } from "../../snapshot/mod.ts";

/** A resource already encoded. Without `version` its content hash is its version. */
export interface EncodedResource {
  readonly name: string;
  readonly body: Uint8Array;
  readonly version?: string;
}

/**
 * One resource: encoded, or Envoy's JSON for it (field names as in the proto files or in camelCase, `@type` in every Any),
 * which is read strictly.
 */
export type ResourceInput = EncodedResource | { readonly [field: string]: unknown };

/** The types by the names that Envoy's own documents use for them. */
export type ResourcePlural =
  | "clusters"
  | "endpoints"
  | "secrets"
  | "listeners"
  | "routes"
  | "scopedRoutes"
  | "virtualHosts"
  | "extensionConfigs"
  | "runtimes";

/** Everything one node is to get. Types left out are empty. */
export interface SnapshotInput extends Partial<Readonly<Record<ResourcePlural, readonly ResourceInput[]>>> {
  /** Versions to be shown on the wire verbatim, per type; a type without one has a hash of its content. */
  readonly versions?: Partial<Readonly<Record<ResourcePlural, string>>>;
}

/** Inputs by identity: what a program gives again is not read again. */
const known = new WeakMap<ResourceInput, Resource>();

/**
 * Checks and encodes what a node is to get. An input given before is taken as it was then, so inputs must not be changed.
 * @throws {ChanceryError} `invalid-input` with every finding in its message
 */
export function encodeSnapshot(input: SnapshotInput, previous: Snapshot | undefined): Snapshot {
  const problems: string[] = [];
  const resources: Resource[] = [];
  const versions = new Map<string, string>();
  for (const type of RESOURCE_TYPES) {
    const plural = type.plural as ResourcePlural; // the table's plurals are these names, which a test holds together
    const version = input.versions?.[plural];
    if (version !== undefined) versions.set(type.typeUrl, version);
    for (const [index, value] of (input[plural] ?? []).entries()) {
      const resource = known.get(value) ??
        (isEncoded(value) ? resourceOf(type, value) : readJson(type, value, { index, problems }));
      if (!resource) continue;
      known.set(value, resource);
      resources.push(resource);
    }
  }
  if (problems.length > 0) throw new ChanceryError("invalid-input", `Cannot use the snapshot:\n${problems.join("\n")}`);
  return snapshotOf(resources, { versions, ...(previous && { previous }) });
}

function isEncoded(value: ResourceInput): value is EncodedResource {
  return value["body"] instanceof Uint8Array;
}

function readJson(
  type: ResourceType,
  value: unknown,
  at: { readonly index: number; readonly problems: string[] },
): Resource | undefined {
  const { name, bytes, findings } = readResource(envoyRegistry(), type, value, { path: [type.plural, at.index] });
  if (hasErrors(findings)) at.problems.push(...findings.map(formatFinding));
  return bytes && resourceOf(type, { name, body: bytes });
}

/** A virtual host is asked for as `<route configuration>/<host>`, so that is its name; its domains are found in its body. */
function resourceOf(type: ResourceType, encoded: EncodedResource): Resource {
  const { name, body } = encoded;
  const version = encoded.version ?? contentVersion(body);
  const endpointsName = type.item === "cluster" ? endpointsNameOf(body) : undefined;
  const plain = type.item === "virtualHost" ? envoyRegistry().codec(type.message).decode(body) : undefined;
  const domains = Array.isArray(plain?.["domains"]) ? plain["domains"].map(String) : undefined;
  return {
    typeUrl: type.typeUrl,
    name,
    version,
    body,
    ...(endpointsName !== undefined && { endpointsName }),
    ...(domains && { domains }),
  };
}
