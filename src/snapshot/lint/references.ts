import { type Finding, type PathSegment, suggest } from "../../base/mod.ts";
import type { ItemType, Reference, ReferenceSource } from "../../envoy/mod.ts";
import type { BuiltItem } from "../build.ts";
import type { Examined } from "./examine.ts";
import type { DefinedNames } from "./names.ts";

/** What the check of references needs to know. */
export interface ReferenceOptions {
  readonly names: DefinedNames;
  /** Clusters that the bootstrap has. */
  readonly staticClusters: readonly string[];
  /** Whether a name that is not found is an error; it is legal, since a bootstrap or a control program may bring it. */
  readonly strict: boolean;
}

/** Each suggestion compares with all names. */
const MAX_SUGGESTIONS = 50;

interface Options extends ReferenceOptions {
  readonly suggestions: { left: number };
}

/** Sources that are this server. */
const OURS: ReadonlySet<ReferenceSource> = new Set(["ads", "self", "any"]);

/** What is said of a name that nobody defines. */
const CONSEQUENCES: Partial<Record<ItemType, string>> = {
  cluster: "it has to come from the bootstrap or on demand",
  endpoint: "the cluster waits for it until its initial_fetch_timeout, 15s by default",
  route: "its listener or scope waits for it until its initial_fetch_timeout, 15s by default, and then answers 404",
  secret: "a state-of-the-world client cannot be told that it is missing and waits 15s",
  extensionConfig: "its listener waits for it until its initial_fetch_timeout, 15s by default",
};

/** Names that resources ask for and that the same EnvoyConfig does not define. */
export function danglingReferences(built: readonly BuiltItem[], given: ReferenceOptions): Finding[] {
  const options: Options = { ...given, suggestions: { left: MAX_SUGGESTIONS } };
  return built.flatMap(({ item, examined }) => {
    const findings = (examined?.references ?? []).flatMap((reference) => dangling(reference, examined!, options) ?? []);
    if (item.item.type === "virtualHost") findings.push(...tableOfHost(item.item.routeConfiguration, options));
    return findings.map((finding) => ({
      ...finding,
      path: [...item.valuePath, ...finding.path],
    }));
  });
}

function dangling(reference: Reference, examined: Examined, options: Options): Finding | undefined {
  const { item, name, source, path } = reference;
  const { names, staticClusters, strict } = options;
  if (source === "static" && item === "secret" && names.of("secret").includes(name)) {
    return {
      severity: "warning",
      path,
      message: `secret ${quote(name)} is looked for in the bootstrap; for the one of this EnvoyConfig set sds_config`,
      rule: "static-secret",
      value: name,
    };
  }
  if (!OURS.has(source) || item === "runtime") return undefined;
  if (name === "") return wildcard(reference, options);
  if (names.has(item, name) || (item === "cluster" && staticClusters.includes(name))) return undefined;
  const refused = item === "cluster" && examined.checkedTables.some((table) => isRouteOf(path, table));
  const near = options.suggestions.left-- > 0 ? suggest(name, names.of(item)) : undefined;
  const why = refused
    ? "Envoy refuses these routes unless its bootstrap has it, because validate_clusters is on (as it is by default " +
      "for a route table inside a listener)"
    : CONSEQUENCES[item] ?? "nobody serves it";
  return {
    severity: strict ? "error" : "warning",
    path,
    message: `${item} ${quote(name)} is not in this EnvoyConfig; ${why}`,
    rule: refused ? "validate-clusters" : "dangling",
    value: name,
    ...(near === undefined ? {} : { suggestion: near }),
  };
}

function wildcard({ item, path }: Reference, { names, strict }: ReferenceOptions): Finding | undefined {
  if (item !== "scopedRoute" || names.of(item).length > 0) return undefined;
  const message = "scoped routes are asked for, but this EnvoyConfig has none";
  return { severity: strict ? "error" : "warning", path, message, rule: "dangling" };
}

/** Virtual hosts name their route configuration beside the value. */
function tableOfHost(name: string | undefined, { names, strict }: ReferenceOptions): Finding[] {
  if (name === undefined || names.has("route", name)) return [];
  const message = `route ${
    quote(name)
  } is not in this EnvoyConfig; nobody will ask for this virtual host unless it has vhds`;
  return [{ severity: strict ? "error" : "warning", path: [], message, rule: "dangling", value: name }];
}

/** Whether a path is that of a route's own cluster, and not of a filter's. */
function isRouteOf(path: readonly PathSegment[], table: readonly PathSegment[]): boolean {
  if (!table.every((segment, index) => path[index] === segment)) return false;
  const rest = path.slice(table.length);
  return /^virtual_?hosts$/i.test(String(rest[0])) &&
    !rest.some((segment) => /^typed_?per_?filter_?config$/i.test(String(segment)));
}

function quote(name: string): string {
  return JSON.stringify(name);
}
