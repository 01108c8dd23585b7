import { canonicalJson, type Finding, hasErrors, type PathSegment, suggest } from "../../base/mod.ts";
import { checkSchema } from "../check.ts";
import { dropNulls } from "../drop_nulls.ts";
import { ObjectMeta } from "../metadata.ts";
import { checkListener } from "./check_listener.ts";
import { checkLabels } from "./check_labels.ts";
import { MESH_ANNOTATIONS } from "./names.ts";
import { type MeshCluster, MeshListener, VirtualServiceSpec } from "./spec.ts";
import type { VirtualService } from "./virtual_service.ts";

/** Outcome of {@linkcode readVirtualService}. */
export interface ReadVirtualService {
  /**
   * The object, of whose listeners only those without an error are left; absent when it cannot be made out which pods it is
   * for. Whoever admits objects looks at the findings; whoever serves what is stored serves this.
   */
  readonly virtualService?: VirtualService;
  /** Index in the object of each of these listeners. */
  readonly places: readonly number[];
  readonly findings: readonly Finding[];
}

/** Most findings about one object: a file of a million mistakes is not to fill the memory. */
const MAX_FINDINGS = 1000;

/**
 * An object from outside as a VirtualService, and all that is wrong with it (spec/virtualservice sections 2, 7 and 9): an error is
 * what Envoy would refuse or what cannot be meant, a warning what is legal and likely wrong. `staticClusters` are those of the
 * bootstrap.
 */
export function readVirtualService(
  object: unknown,
  { staticClusters = [] }: { staticClusters?: readonly string[] } = {},
): ReadVirtualService {
  if (!isRecord(object)) return { places: [], findings: [error([], "must be an object", "type")] };
  const { metadata, spec } = object;
  const findings = checkSchema(TOP_LEVEL, object);
  if (isRecord(metadata)) findings.push(...checkSchema(ObjectMeta, metadata, ["metadata"]), ...checkScope(metadata));
  else findings.push(error([], "metadata must be set", "required"));
  if (spec === undefined || spec === null) {
    return { places: [], findings: [...findings, error([], "spec must be set", "required")] };
  }
  const { listeners, ...rest } = isRecord(spec) ? spec : {};
  const entries = Array.isArray(listeners) ? listeners : [];
  const outer = isRecord(spec)
    ? { ...rest, ...(entries.length === 0 && "listeners" in spec ? { listeners } : {}) }
    : spec;
  findings.push(...checkSchema(VirtualServiceSpec, outer, ["spec"]));
  const isReadable = !findings.some(({ severity, rule }) => severity === "error" && rule !== "unknown-field");
  const sound: [number, MeshListener][] = [];
  const names = new Names(staticClusters);
  for (const [index, entry] of entries.entries()) {
    const path = ["spec", "listeners", index];
    const read = readListener(entry, { path, names });
    findings.push(...read.findings);
    if (read.listener) sound.push([index, read.listener]);
    if (findings.length >= MAX_FINDINGS) {
      const message = `checking stopped after ${MAX_FINDINGS} problems`;
      return { places: [], findings: [...findings.slice(0, MAX_FINDINGS), error([], message, "too-many-findings")] };
    }
  }
  if (!isReadable) return { places: [], findings };
  const read = dropNulls(VirtualServiceSpec, outer as VirtualServiceSpec); // just compared with the schema its type comes from
  findings.push(...checkWhole(read, entries.length));
  const virtualService = {
    ...object as unknown as VirtualService, // its metadata and spec were just compared with their schemas
    metadata: dropNulls(ObjectMeta, metadata as ObjectMeta),
    spec: { selector: read.selector, listeners: sound.map(([, listener]) => listener) },
  };
  return { virtualService, places: sound.map(([index]) => index), findings };
}

/** The fields an object has; what is in them is looked at apart. */
const TOP_LEVEL = { type: "object", properties: { apiVersion: {}, kind: {}, metadata: {}, spec: {}, status: {} } };

const SCOPES = ["cluster", "namespace"];

function checkScope(metadata: Readonly<Record<string, unknown>>): Finding[] {
  const { annotations } = metadata;
  const scope = isRecord(annotations) ? annotations[MESH_ANNOTATIONS.scope] : undefined;
  if (typeof scope !== "string" || SCOPES.includes(scope)) return [];
  const near = suggest(scope, SCOPES);
  return [{
    severity: "warning",
    path: ["metadata", "annotations", MESH_ANNOTATIONS.scope],
    message: `must be one of ${SCOPES.map((known) => JSON.stringify(known)).join(", ")}; it counts as "namespace"`,
    rule: "scope",
    value: JSON.stringify(scope),
    ...(near === undefined ? {} : { suggestion: near }),
  }];
}

function checkWhole({ selector }: VirtualServiceSpec, listeners: number): Finding[] {
  const findings = checkLabels(selector, ["spec", "selector"]);
  if (listeners === 0) {
    findings.push(warning(["spec"], "there are no listeners, so that nothing is served", "no-listeners"));
  }
  return findings;
}

function readListener(
  entry: unknown,
  { path, names }: { path: readonly PathSegment[]; names: Names },
): { readonly listener?: MeshListener; readonly findings: readonly Finding[] } {
  const findings = checkSchema(MeshListener, entry, path);
  if (hasErrors(findings)) return { findings };
  const listener = dropNulls(MeshListener, entry as MeshListener); // just compared with the schema its type comes from
  findings.push(...checkListener(listener, path), ...names.take(listener, path));
  return hasErrors(findings) ? { findings } : { listener, findings };
}

/** What may be there only once: the first that has it keeps it. A cluster that is the same in both is one. */
class Names {
  readonly #taken = new Map<string, { readonly index: PathSegment | undefined; readonly what?: string }>();
  readonly #staticClusters: readonly string[];

  constructor(staticClusters: readonly string[]) {
    this.#staticClusters = staticClusters;
  }

  /** What is wrong with the names and ports of a listener; takes them when that is nothing. */
  take(listener: MeshListener, path: readonly PathSegment[]): Finding[] {
    const findings: Finding[] = [];
    const taken: [string, string | undefined][] = [];
    const look = (thing: string, at: readonly PathSegment[], what?: string) => {
      const before = this.#taken.get(thing);
      if (before && (what === undefined || before.what !== what)) {
        findings.push(error(at, `${thing} is taken by listeners[${before.index}]`, "duplicate"));
      }
      taken.push([thing, what]);
    };
    look(`listener name ${JSON.stringify(listener.name)}`, [...path, "name"]);
    for (const protocol of ["udp", "tcp"] as const) {
      const transport = listener[protocol];
      if (!transport) continue;
      const { port, cluster } = transport;
      look(`${protocol.toUpperCase()} port ${port}`, [...path, protocol, "port"]);
      const at = [...path, protocol, "cluster", "name"];
      look(`cluster name ${JSON.stringify(cluster.name)}`, at, canonicalJson([protocol, cluster]));
      findings.push(...this.#checkStatic(cluster, at));
    }
    if (findings.length > 0) return findings;
    for (const [thing, what] of taken) {
      if (!this.#taken.has(thing)) this.#taken.set(thing, { index: path[2], ...(what === undefined ? {} : { what }) });
    }
    return findings;
  }

  #checkStatic({ name }: MeshCluster, at: readonly PathSegment[]): Finding[] {
    if (!this.#staticClusters.includes(name)) return [];
    const message = `cluster ${
      JSON.stringify(name)
    } is part of the bootstrap, and Envoy ignores another one of that name`;
    return [error(at, message, "static-cluster")];
  }
}

function error(path: readonly PathSegment[], message: string, rule: string): Finding {
  return { severity: "error", path, message, rule };
}

function warning(path: readonly PathSegment[], message: string, rule: string): Finding {
  return { severity: "warning", path, message, rule };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}
