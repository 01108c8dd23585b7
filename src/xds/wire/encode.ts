import type { Resource } from "../../snapshot/mod.ts";
import type { Send } from "../session/mod.ts";
import type { Entry } from "../view.ts";

/**
 * Writes discovery responses. A nonce has fixed width and comes last, so all bytes before it are the same for every stream
 * with the same question: they are made once and shared. Protobuf leaves the order of fields free.
 * https://github.com/envoyproxy/envoy/blob/v1.40.0/api/envoy/service/discovery/v3/discovery.proto
 */

const VERSION = 1, RESOURCES = 2, TYPE_URL = 4, NONCE = 5, REMOVED = 6; // DiscoveryResponse and DeltaDiscoveryResponse
const RESOURCE_VERSION = 1, RESOURCE_ANY = 2, RESOURCE_NAME = 3, RESOURCE_ALIASES = 4; // Resource
const ANY_TYPE_URL = 1, ANY_VALUE = 2; // google.protobuf.Any

const utf8 = new TextEncoder();
const bodies = new WeakMap<object, Map<string, Uint8Array | undefined>>();

/** Everything of a response but its nonce; the same array for all streams with the same question, but for the first. */
export function responseBody(send: Send): Uint8Array {
  const { payload } = send;
  const key = payload.protocol === "sotw" ? payload.view : payload.difference;
  const size = payload.protocol === "sotw"
    ? payload.view.entries.size
    : payload.difference.changed.size + payload.difference.removed.length;
  if (size === 0) return encode(send); // the empty view lives for ever, so nothing is remembered with it
  let known = bodies.get(key);
  if (!known) bodies.set(key, known = new Map());
  const question = `${send.typeUrl} ${send.version}`;
  const shared = known.get(question);
  if (shared) return shared;
  const body = encode(send);
  known.set(question, known.has(question) ? body : undefined); // kept from the second stream on: most are asked for by one only
  return body;
}

/** The last field of a response: its nonce. */
export function nonceTail(nonce: string): Uint8Array {
  const out = new Writer(nonce.length + 2);
  out.text(NONCE, utf8.encode(nonce));
  return out.bytes;
}

function encode(send: Send): Uint8Array {
  const { payload } = send;
  const typeUrl = utf8.encode(send.typeUrl);
  const version = utf8.encode(send.version);
  const resources = payload.protocol === "sotw"
    ? [...payload.view.entries.values()].flatMap(({ resource }) => resource ? [anyField(typeUrl, resource)] : [])
    : [...payload.difference.changed].map(([name, entry]) => resourceField(typeUrl, name, entry));
  const removed = payload.protocol === "sotw" ? [] : payload.difference.removed.map((name) => utf8.encode(name));
  let size = fieldSize(version.length) + fieldSize(typeUrl.length);
  for (const field of resources) size += field.length;
  for (const name of removed) size += fieldSize(name.length);
  const out = new Writer(size);
  out.text(VERSION, version);
  for (const field of resources) out.raw(field);
  out.text(TYPE_URL, typeUrl);
  for (const name of removed) out.text(REMOVED, name);
  return out.bytes;
}

const anyFields = new WeakMap<Resource, Uint8Array>();
const resourceFields = new WeakMap<Resource, Uint8Array>();

/** A resource as one field of a state-of-the-world response: the same bytes in every response that lists it. */
function anyField(typeUrl: Uint8Array, resource: Resource): Uint8Array {
  let field = anyFields.get(resource);
  if (!field) anyFields.set(resource, field = fieldOf(anyOf(typeUrl, resource.body)));
  return field;
}

/** The same for a delta response; what goes under another name than its own is not remembered. */
function resourceField(typeUrl: Uint8Array, name: string, entry: Entry): Uint8Array {
  const { resource } = entry;
  if (resource?.name !== name) return fieldOf(resourceOf(typeUrl, name, entry));
  let field = resourceFields.get(resource);
  if (!field) resourceFields.set(resource, field = fieldOf(resourceOf(typeUrl, name, entry)));
  return field;
}

function fieldOf(part: Part): Uint8Array {
  const out = new Writer(fieldSize(part.size));
  out.header(RESOURCES, part.size);
  part.write(out);
  return out.bytes;
}

/** A message that knows its size before it is written. */
interface Part {
  readonly size: number;
  write(out: Writer): void;
}

function anyOf(typeUrl: Uint8Array, body: Uint8Array): Part {
  return {
    size: fieldSize(typeUrl.length) + (body.length === 0 ? 0 : fieldSize(body.length)),
    write(out) {
      out.text(ANY_TYPE_URL, typeUrl);
      if (body.length > 0) out.text(ANY_VALUE, body);
    },
  };
}

/** A subscribed name may differ from the resource's own (on-demand virtual hosts): then it is given as alias. */
function resourceOf(typeUrl: Uint8Array, subscribed: string, entry: Entry): Part {
  const { resource } = entry;
  const name = utf8.encode(resource?.name ?? subscribed);
  const alias = resource?.name === subscribed ? undefined : utf8.encode(subscribed);
  const version = resource ? utf8.encode(resource.version) : new Uint8Array();
  const any = resource ? anyOf(typeUrl, resource.body) : undefined;
  return {
    size: (version.length > 0 ? fieldSize(version.length) : 0) + (any ? fieldSize(any.size) : 0) +
      fieldSize(name.length) + (alias ? fieldSize(alias.length) : 0),
    write(out) {
      if (version.length > 0) out.text(RESOURCE_VERSION, version);
      if (any) {
        out.header(RESOURCE_ANY, any.size);
        any.write(out);
      }
      out.text(RESOURCE_NAME, name);
      if (alias) out.text(RESOURCE_ALIASES, alias);
    },
  };
}

/** Bytes of a length-delimited field: tag (all field numbers here are below 16), length, content. */
function fieldSize(length: number): number {
  return 1 + varintSize(length) + length;
}

function varintSize(value: number): number {
  let size = 1;
  for (let rest = value; rest >= 128; rest = Math.floor(rest / 128)) size++;
  return size;
}

class Writer {
  readonly bytes: Uint8Array;
  #at = 0;

  constructor(size: number) {
    this.bytes = new Uint8Array(size);
  }

  header(field: number, length: number): void {
    this.bytes[this.#at++] = (field << 3) | 2;
    let rest = length;
    for (; rest >= 128; rest = Math.floor(rest / 128)) this.bytes[this.#at++] = (rest % 128) | 128;
    this.bytes[this.#at++] = rest;
  }

  raw(bytes: Uint8Array): void {
    this.bytes.set(bytes, this.#at);
    this.#at += bytes.length;
  }

  text(field: number, content: Uint8Array): void {
    this.header(field, content.length);
    this.bytes.set(content, this.#at);
    this.#at += content.length;
  }
}
