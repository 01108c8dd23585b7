/**
 * Strict proto3 JSON: value in, bytes and findings out.
 * @module
 */
import type { Finding } from "../../base/mod.ts";
import type { Registry } from "../registry.ts";
import type { ResourceType } from "../resource_type.ts";
import type { Plain } from "../schema/mod.ts";
import { encodeMessage } from "../wire/encode.ts";
import { BAD, ReadContext, type ReadOptions, TooManyFindings } from "./context.ts";
import { isObject } from "./is_object.ts";
import { JsonReader } from "./json_reader.ts";

export { type AnyMessage, attachedMessage } from "./any_message.ts";
export type { ReadLimits, ReadOptions } from "./context.ts";
export { typeNameOf } from "./type_name.ts";

/** What became of a value. `bytes` and `plain` are there only when no finding is an error. */
export interface ReadResult {
  /** Deterministic: equal values give equal bytes, whatever the order of their keys. */
  readonly bytes?: Uint8Array;
  /** The message in the form that {@linkcode Codec} describes; inside an Any, see {@linkcode attachedMessage}. */
  readonly plain?: Plain;
  /** As much of the message as could be read, also when something in it is wrong; for a look at it, never to be sent. */
  readonly partial?: Plain;
  /** All that is to be said: as the document goes, and what is wrong with a whole after what is wrong inside it. */
  readonly findings: Finding[];
}

/** A {@linkcode ReadResult} with the name by which xDS asks for the resource. */
export interface ReadResourceResult extends ReadResult {
  /** Empty when the value has none that is a text. */
  readonly name: string;
}

/**
 * Reads a JSON value as a message: unknown fields, wrong types, values outside the rules of `validate.rules`, unknown
 * types and whatever else Envoy would refuse become findings, all of them, each with its path.
 *
 * @throws {ChanceryError} `not-found` when the registry has no such message
 */
export function readMessage(
  registry: Registry,
  message: string,
  value: unknown,
  options: ReadOptions = {},
): ReadResult {
  const { descriptor } = registry.codec(message);
  const context = new ReadContext(registry, options);
  const { findings } = context;
  try {
    const plain = new JsonReader(context).message(descriptor, { value, up: undefined, segment: undefined });
    if (plain === BAD) return { findings };
    if (context.failed) return { partial: plain, findings };
    return { bytes: encodeMessage(descriptor, plain), plain, partial: plain, findings };
  } catch (thrown) {
    if (!(thrown instanceof TooManyFindings)) throw thrown;
    context.noteStopped();
    return { findings };
  }
}

/**
 * Reads an xDS resource. Values of a Secret never show in its findings; a resource without a name is
 * served under the empty one, with a warning (Envoy itself makes up names for listeners).
 *
 * @throws {ChanceryError} `not-found` when the registry has no such message
 */
export function readResource(
  registry: Registry,
  type: ResourceType,
  value: unknown,
  options: ReadOptions = {},
): ReadResourceResult {
  const result = readMessage(registry, type.message, value, {
    ...options,
    sensitive: options.sensitive === true || type.item === "secret",
  });
  const name = nameOf(registry, type, value);
  if (name !== "" || !result.bytes) return { name, ...result };
  const nameless: Finding = {
    severity: "warning",
    path: [...options.path ?? [], type.nameField],
    message: type.legacyWildcard
      ? `this ${type.item} has no name`
      : `this ${type.item} has no name, so nobody will ask for it`,
    rule: "missing-name",
  };
  return { name, ...result, findings: [...result.findings, nameless] };
}

/** The name as it stands in the value, also when the rest of the value is wrong. */
function nameOf(registry: Registry, type: ResourceType, value: unknown): string {
  if (!isObject(value)) return "";
  const camel = registry.message(type.message)?.byName.get(type.nameField)?.jsonName ?? type.nameField;
  const name = value[type.nameField] ?? value[camel];
  return typeof name === "string" ? name : "";
}
