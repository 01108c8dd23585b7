import type { Finding } from "../../../base/mod.ts";
import {
  attachedMessage,
  envoyRegistry,
  type Plain,
  readMessage,
  type Registry,
  type ResourceType,
  resourceTypeOf,
} from "../../../envoy/mod.ts";
import { examineResource } from "../../../snapshot/lint/mod.ts";
import type { FileKind } from "../file_kind.ts";
import type { Verdict } from "../verdict.ts";

const RESPONSE = "envoy.service.discovery.v3.DiscoveryResponse";
const WRAPPER = "type.googleapis.com/envoy.service.discovery.v3.Resource";
const SECRET = "type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.Secret";

/** One resource of a response. */
interface Entry {
  readonly index: number;
  /** As it stands in the file. */
  readonly raw: unknown;
  /** Without the wrapper that may be around it. */
  readonly value: Readonly<Record<string, unknown>>;
  readonly type: ResourceType | undefined;
  readonly typeUrl: string;
  readonly name: string;
  readonly wrapped: boolean;
}

/** Reads a discovery response strictly, and what is beyond its fields: one type, names told apart, settings that bite. */
export function readResponse(
  value: Readonly<Record<string, unknown>>,
  { allowEmpty }: { readonly allowEmpty: boolean },
): Verdict {
  const registry = envoyRegistry();
  const raw = Array.isArray(value["resources"]) ? value["resources"] as readonly unknown[] : [];
  const entries = raw.flatMap(entryOf);
  const sensitive = entries.some(({ typeUrl }) => typeUrl === SECRET);
  const { findings, plain } = readMessage(registry, RESPONSE, value, { sensitive });
  const all = [...findings, ...typesOf(entries), ...repeatedNames(entries), ...tooMany(entries)];
  if (raw.length === 0 && !allowEmpty) {
    all.push(
      error(["resources"], "there are none, so Envoy would drop all that it has; --allow-empty if that is meant", {
        rule: "empty",
      }),
    );
  }
  if (plain) all.push(...entries.flatMap((entry) => traps(registry, entry, plain)));
  // VHDS cannot come from a file, and Envoy says so itself.
  const kind = (entries.find(({ type }) => type)?.type?.short ?? "other") as FileKind;
  if (kind !== "CDS") return { kind, findings: all };
  return { kind, findings: all, clusters: new Map(entries.map(({ name, raw }) => [name, raw])) };
}

function entryOf(raw: unknown, index: number): Entry[] {
  if (!isRecord(raw)) return [];
  const wrapped = raw["@type"] === WRAPPER;
  const inner = wrapped ? raw["resource"] : raw;
  const value = isRecord(inner) ? inner : {};
  const typeUrl = typeof value["@type"] === "string" ? value["@type"] : "";
  const type = resourceTypeOf(typeUrl);
  const given = (wrapped ? raw["name"] : undefined) ?? value[type?.nameField ?? "name"] ?? value["clusterName"];
  return [{ index, raw, value, type, typeUrl, name: typeof given === "string" ? given : "", wrapped }];
}

function typesOf(entries: readonly Entry[]): Finding[] {
  const [first] = entries;
  return entries.flatMap(({ index, type, typeUrl }) => {
    if (typeUrl === "") return []; // the reader has said so
    const path = ["resources", index, "@type"];
    if (!type || type.short === "VHDS") {
      return [error(path, `${JSON.stringify(typeUrl)} is no resource that Envoy reads from a file`, { rule: "type" })];
    }
    if (typeUrl === first?.typeUrl) return [];
    return [error(path, `a ${type.item} in a file of another type; Envoy reads one type per file`, { rule: "mixed" })];
  });
}

/** Types that Envoy asks for by one name at a time: from a file it then takes exactly one resource, and refuses the file else. */
const ONE_PER_FILE: ReadonlySet<string> = new Set(["EDS", "RDS", "SDS", "ECDS", "RTDS"]);

function tooMany(entries: readonly Entry[]): Finding[] {
  const { type } = entries[1] ?? {};
  if (!type || !ONE_PER_FILE.has(type.short)) return [];
  const message =
    `${entries.length} ${type.plural} in a file; Envoy takes exactly one from a file, so each needs its own`;
  return [error(["resources", 1], message, { rule: "one-per-file" })];
}

function repeatedNames(entries: readonly Entry[]): Finding[] {
  const seen = new Set<string>();
  return entries.flatMap(({ index, type, name }) => {
    if (name === "" || !seen.has(name)) {
      seen.add(name);
      return [];
    }
    const message = `another ${type?.item ?? "resource"} of this file is named ${JSON.stringify(name)}`;
    return [error(["resources", index], message, { rule: "duplicate" })];
  });
}

function traps(registry: Registry, { index, type, value, wrapped }: Entry, response: Plain): Finding[] {
  const any = (response["resources"] as readonly Plain[] | undefined)?.[index]; // an Any
  const outer = any && attachedMessage(any);
  const inner = wrapped ? outer?.message["resource"] as Plain | undefined : any; // an Any
  const message = inner && attachedMessage(inner)?.message;
  if (!type || !message) return [];
  const at = wrapped ? ["resources", index, "resource"] : ["resources", index];
  return examineResource(registry, type, { plain: message, value }).traps.map((trap) => ({
    ...trap,
    path: [...at, ...trap.path],
  }));
}

function error(path: Finding["path"], message: string, { rule }: { rule: string }): Finding {
  return { severity: "error", path, message, rule };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
