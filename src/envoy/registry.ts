import { descriptorSet } from "../../protos/mod.ts";
import { ChanceryError, errorMessage } from "../base/mod.ts";
import { Codec } from "./codec.ts";
import { rulesOf } from "./rules/mod.ts";
import {
  type EnumDescriptor,
  type FileEntry,
  KIND,
  type MessageDescriptor,
  type ServiceDescriptor,
} from "./schema/descriptor.ts";
import { addDescriptorSet, type DescriptorIndex, type IndexEntry } from "./schema/index.ts";
import { parseEnum, parseService } from "./schema/parse_enum.ts";
import { parseMessage } from "./schema/parse_message.ts";
import { reading } from "./wire/reader.ts";

/**
 * All types of one or more descriptor sets. Opening it only takes note of the names; a type is parsed when it is asked
 * for, so that a process pays for the few that its configs use. Never changes once made.
 */
export class Registry {
  readonly #sets: readonly Uint8Array[];
  readonly #index: DescriptorIndex = { files: new Map(), symbols: new Map() };
  readonly #messages = new Map<string, MessageDescriptor>();
  readonly #enums = new Map<string, EnumDescriptor>();
  readonly #services = new Map<string, ServiceDescriptor>();
  readonly #codecs = new Map<string, Codec>();

  /**
   * @param sets encoded google.protobuf.FileDescriptorSet
   * @throws {ChanceryError} `invalid-input` when one is malformed or defines a name a second time
   */
  constructor(...sets: readonly Uint8Array[]) {
    this.#sets = sets;
    for (const set of sets) addDescriptorSet(this.#index, set);
  }

  /**
   * A registry that knows the types of `set` too: `protoc --include_imports --descriptor_set_out`, or `buf build -o`.
   * Every type of the set is parsed at once, so that a broken one is found here and not in the middle of a config.
   *
   * @throws {ChanceryError} `invalid-input` when the set is malformed, incomplete, or defines a known name differently
   */
  with(set: Uint8Array): Registry {
    const wider = new Registry(...this.#sets, set);
    for (const [name, entry] of wider.#index.symbols) {
      if (this.#index.symbols.has(name)) continue;
      try {
        wider.#checkSymbol(entry);
      } catch (cause) {
        const message = `Cannot add descriptors: "${name}" is not usable: ${errorMessage(cause)}`;
        throw new ChanceryError("invalid-input", message, { cause });
      }
    }
    return wider;
  }

  /** Parses all of a symbol: its fields' types have to exist and its rules to be understood. */
  #checkSymbol({ kind, name }: IndexEntry): void {
    if (kind === "enum") this.enum(name);
    if (kind !== "message") return;
    const descriptor = this.#needMessage(name);
    for (const field of descriptor.fields) {
      if (field.kind === KIND.MESSAGE || field.kind === KIND.GROUP) void field.message;
      if (field.kind === KIND.ENUM) void field.enum;
    }
    rulesOf(this, descriptor);
  }

  /** Whether this is the name of a message type. */
  has(name: string): boolean {
    return this.#index.symbols.get(name)?.kind === "message";
  }

  /** Names of all message types, without those made up for maps. */
  *names(): IterableIterator<string> {
    for (const [name, entry] of this.#index.symbols) if (entry.kind === "message" && !entry.mapEntry) yield name;
  }

  /** A message type by its full name, `envoy.config.cluster.v3.Cluster`. */
  message(name: string): MessageDescriptor | undefined {
    return this.#lookUp(name, {
      kind: "message",
      cache: this.#messages,
      parse: (entry) => parseMessage(entry, this.#linker),
    });
  }

  /** An enum type by its full name. */
  enum(name: string): EnumDescriptor | undefined {
    return this.#lookUp(name, { kind: "enum", cache: this.#enums, parse: parseEnum });
  }

  /** A gRPC service by its full name, `envoy.service.discovery.v3.AggregatedDiscoveryService`. */
  service(name: string): ServiceDescriptor | undefined {
    return this.#lookUp(name, { kind: "service", cache: this.#services, parse: parseService });
  }

  /** Full names of all services. */
  *services(): IterableIterator<string> {
    for (const [name, entry] of this.#index.symbols) if (entry.kind === "service") yield name;
  }

  /**
   * Bytes to values and back, for a message type.
   *
   * @throws {ChanceryError} `not-found` when there is no such type
   */
  codec(name: string): Codec {
    let codec = this.#codecs.get(name);
    if (!codec) this.#codecs.set(name, codec = new Codec(this.#needMessage(name)));
    return codec;
  }

  /** A .proto file by its name, `envoy/config/cluster/v3/cluster.proto`. */
  file(name: string): FileEntry | undefined {
    return this.#index.files.get(name);
  }

  /** The file that defines a message, enum, service, or a member of one. */
  fileOf(symbol: string): FileEntry | undefined {
    const dot = symbol.lastIndexOf(".");
    const owner = dot < 0 ? undefined : this.#index.symbols.get(symbol.slice(0, dot));
    return (this.#index.symbols.get(symbol) ?? owner)?.file;
  }

  readonly #linker = {
    message: (name: string): MessageDescriptor => this.#needMessage(name),
    enum: (name: string): EnumDescriptor => this.enum(name) ?? missing(name),
    isMapEntry: (name: string): boolean => this.#index.symbols.get(name)?.mapEntry === true,
  };

  #needMessage(name: string): MessageDescriptor {
    return this.message(name) ?? missing(name);
  }

  #lookUp<T>(name: string, how: { kind: IndexEntry["kind"]; cache: Map<string, T>; parse: (entry: IndexEntry) => T }) {
    const known = how.cache.get(name);
    if (known) return known;
    const entry = this.#index.symbols.get(name);
    if (entry?.kind !== how.kind) return undefined;
    const parsed = reading(() => how.parse(entry));
    how.cache.set(name, parsed);
    return parsed;
  }
}

function missing(name: string): never {
  throw new ChanceryError("not-found", `Cannot find type "${name}" among the descriptors`);
}

let registry: Registry | undefined;

/** The registry of all of Envoy's API, opened by the first call (some 20 ms) and shared by the process. */
export function envoyRegistry(): Registry {
  return registry ??= new Registry(descriptorSet());
}
