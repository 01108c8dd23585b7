import { suggest } from "../../base/mod.ts";
import type { Registry } from "../registry.ts";
import type { MessageDescriptor, Plain } from "../schema/mod.ts";
import { encodeMessage } from "../wire/encode.ts";
import { attachMessage } from "./any_message.ts";
import { BAD, type Path } from "./context.ts";
import { isObject } from "./is_object.ts";
import type { JsonReader } from "./json_reader.ts";
import { fromBase64 } from "./scalar.ts";
import { WELL_KNOWN } from "./well_known.ts";

const ANY = "google.protobuf.Any";
const EMPTY = "google.protobuf.Empty";
const TYPED_STRUCTS = new Set(["xds.type.v3.TypedStruct", "udpa.type.v1.TypedStruct"]);

/**
 * A google.protobuf.Any: an object whose `@type` names the message that its other members make up. A type that nobody
 * knows may still be served when its content is given as bytes; anything else could not be encoded.
 */
export function readAny(reader: JsonReader, value: unknown, path: Path | undefined): Plain | typeof BAD {
  const { context } = reader;
  if (!isObject(value)) {
    return context.error(path, `expected an object with "@type", found ${context.describe(value)}`, {
      rule: "wrong-type",
      value,
    });
  }
  const url = value["@type"];
  if (url === undefined) {
    if (Object.keys(value).length === 0) return {};
    return context.error(path, 'an object here needs "@type"', { rule: "missing-type" });
  }
  const at: Path = { up: path, segment: "@type" };
  if (typeof url !== "string" || !/.\/[^/]/.test(url) || url.endsWith("/")) {
    return context.error(
      at,
      `expected a type URL such as "type.googleapis.com/envoy…", found ${context.describe(url)}`,
      {
        rule: "wrong-type",
        value: url,
      },
    );
  }
  const name = typeNameOf(url);
  const descriptor = context.registry.message(name);
  if (!descriptor) return unknownType(reader, value, { url, at });
  const message = reader.apart(() => content(reader, descriptor, { value, path }));
  if (message === BAD) return BAD;
  if (TYPED_STRUCTS.has(name)) checkTypedStruct(reader, value, path);
  if (context.failed) return { type_url: url }; // never sent, so there is no need to encode it
  return attachMessage({ type_url: url, value: encodeMessage(descriptor, message) }, { type: name, message });
}

/** `envoy.config.cluster.v3.Cluster` of `type.googleapis.com/envoy.config.cluster.v3.Cluster`. */
export function typeNameOf(url: string): string {
  return url.slice(url.lastIndexOf("/") + 1);
}

/** The message inside: members beside `@type`, or one member `value` when the type has a JSON form of its own. */
function content(
  reader: JsonReader,
  descriptor: MessageDescriptor,
  { value, path }: { value: Record<string, unknown>; path: Path | undefined },
): Plain | typeof BAD {
  const { context } = reader;
  const wrapped = descriptor.name === ANY || WELL_KNOWN.has(descriptor.name) || descriptor.name === EMPTY;
  if (!wrapped) return reader.members(descriptor, value, { path, except: "@type" });
  for (const key of Object.keys(value)) {
    if (key === "@type" || key === "value") continue;
    context.error({ up: path, segment: key }, `${descriptor.name} in an Any has only "value"`, {
      rule: "unknown-field",
    });
  }
  const inner: Path = { up: path, segment: "value" };
  if (value["value"] !== undefined) {
    return reader.deeper(inner, () => reader.message(descriptor, value["value"], inner));
  }
  if (descriptor.name === EMPTY) return {};
  return context.error(path, `${descriptor.name} in an Any needs "value"`, { rule: "missing-value" });
}

function unknownType(
  { context }: JsonReader,
  value: Record<string, unknown>,
  { url, at }: { url: string; at: Path },
): Plain | typeof BAD {
  const name = typeNameOf(url);
  const keys = Object.keys(value).filter((k) => k !== "@type" && value[k] !== undefined);
  const bytes = keys.length === 1 && typeof value["value"] === "string" ? fromBase64(value["value"]) : undefined;
  const detail = {
    rule: "unknown-type",
    value: url,
    suggestion: context.suggest(() => similarType(context.registry, name)),
  };
  if (!bytes) return context.error(at, `type "${name}" is not known`, detail);
  context.warn(at, `type "${name}" is not known, its bytes are served unchecked`, detail);
  return { type_url: url, value: bytes };
}

/** The same message of another package or version, else the nearest spelling. */
function similarType(registry: Registry, name: string): string | undefined {
  const last = `.${name.slice(name.lastIndexOf(".") + 1)}`;
  let best: string | undefined;
  for (const candidate of registry.names()) {
    if (candidate.endsWith(last) && (best === undefined || shared(candidate, name) > shared(best, name))) {
      best = candidate;
    }
  }
  return best ?? suggest(name, registry.names());
}

/** How many leading characters two names have in common. */
function shared(a: string, b: string): number {
  let i = 0;
  while (i < a.length && a[i] === b[i]) i++;
  return i;
}

/** Envoy turns the struct into the message it names when it loads the extension, so it is read as that, too. */
function checkTypedStruct(reader: JsonReader, value: Record<string, unknown>, path: Path | undefined): void {
  const key = value["type_url"] === undefined ? "typeUrl" : "type_url";
  const url = value[key];
  if (typeof url !== "string" || url === "") return;
  const descriptor = reader.context.registry.message(typeNameOf(url));
  const at: Path = { up: path, segment: "value" };
  if (descriptor) {
    reader.apart(() => reader.deeper(at, () => reader.message(descriptor, value["value"] ?? {}, at)));
    return;
  }
  reader.context.warn(
    { up: path, segment: key },
    `type "${typeNameOf(url)}" is not known, its struct is served unchecked`,
    {
      rule: "unknown-type",
      value: url,
    },
  );
}
