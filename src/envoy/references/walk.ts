import type { PathSegment } from "../../base/mod.ts";
import { attachedMessage, typeNameOf } from "../read/mod.ts";
import type { Registry } from "../registry.ts";
import { KIND, type MessageDescriptor, type Plain } from "../schema/mod.ts";

/** A message inside a message, and where it stands. */
export interface MessageSpot {
  readonly descriptor: MessageDescriptor;
  readonly plain: Plain;
  /** The message that holds it; absent for the outermost. Content of an Any is held by what holds the Any. */
  readonly up?: MessageSpot;
  /** From the outermost message, with .proto field names. */
  readonly path: readonly PathSegment[];
}

const ANY = "google.protobuf.Any";

/**
 * Shows every message in a message to `visit`, the outermost first, what is in an Any included. Takes the form of
 * {@linkcode Codec} or of the reader.
 *
 * @throws {ChanceryError} `not-found` when the registry has no such message
 */
export function visitMessages(
  registry: Registry,
  { message, plain }: { message: string; plain: Plain },
  visit: (spot: MessageSpot) => void,
): void {
  walk(registry, { descriptor: registry.codec(message).descriptor, plain, path: [] }, visit);
}

function walk(registry: Registry, spot: MessageSpot, visit: (spot: MessageSpot) => void): void {
  const { descriptor, plain, path } = spot;
  if (descriptor.name === ANY) return walkAny(registry, spot, visit);
  visit(spot);
  for (const field of descriptor.fields) {
    if (!Object.hasOwn(plain, field.name)) continue;
    const inner = field.map ? field.map.value : field;
    if (inner.kind !== KIND.MESSAGE) continue;
    const down = (value: unknown, ...at: PathSegment[]) =>
      walk(registry, { descriptor: inner.message, plain: value as Plain, up: spot, path: [...path, ...at] }, visit); // by its kind
    const value = plain[field.name];
    if (field.map) { for (const [key, item] of Object.entries(value as Plain)) down(item, field.name, key); // a map
     } else if (field.repeated) (value as readonly unknown[]).forEach((item, i) => down(item, field.name, i)); // a list
    else down(value, field.name);
  }
}

function walkAny(registry: Registry, { plain, path, up }: MessageSpot, visit: (spot: MessageSpot) => void): void {
  const url = plain["type_url"];
  const attached = attachedMessage(plain);
  const type = attached?.type ?? (typeof url === "string" ? typeNameOf(url) : "");
  const descriptor = registry.message(type);
  const content = attached?.message ?? (descriptor && decode(registry, type, plain["value"]));
  if (!descriptor || !content) return;
  const at = descriptor.name === ANY ? [...path, "value"] : path;
  walk(registry, { descriptor, plain: content, path: at, ...(up ? { up } : {}) }, visit);
}

function decode(registry: Registry, type: string, bytes: unknown): Plain | undefined {
  try {
    return registry.codec(type).decode(bytes instanceof Uint8Array ? bytes : new Uint8Array());
  } catch {
    return undefined; // bytes that are no such message hold nothing
  }
}
