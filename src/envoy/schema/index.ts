import { ChanceryError } from "../../base/mod.ts";
import { reading, WireReader } from "../wire/reader.ts";
import type { FileEntry } from "./descriptor.ts";
import { type Features, FILE_DEFAULTS, readFeatures } from "./features.ts";

/** Where the descriptor of a name lies; parsed when somebody asks. */
export interface IndexEntry {
  readonly kind: "message" | "enum" | "service";
  readonly name: string;
  readonly file: FileEntry;
  readonly features: Features;
  readonly bytes: Uint8Array;
  readonly mapEntry: boolean;
}

/** Names of a descriptor set, and nothing else: what makes a registry cheap to open. */
export interface DescriptorIndex {
  readonly files: Map<string, FileEntry>;
  readonly symbols: Map<string, IndexEntry>;
}

// Field numbers of google/protobuf/descriptor.proto
const SET = { FILE: 1 };
const FILE = {
  NAME: 1,
  PACKAGE: 2,
  DEPENDENCY: 3,
  MESSAGE: 4,
  ENUM: 5,
  SERVICE: 6,
  OPTIONS: 8,
  SYNTAX: 12,
  EDITION: 14,
};
const FILE_OPTIONS = { FEATURES: 50 };
const MESSAGE = { NAME: 1, NESTED: 3, ENUM: 4, OPTIONS: 7 };
const MESSAGE_OPTIONS = { MAP_ENTRY: 7 };

/**
 * Adds the files of an encoded FileDescriptorSet. A file whose name is known already is skipped: sets made with
 * `--include_imports` bring along what everybody has.
 *
 * @throws {ChanceryError} `invalid-input` when the bytes are no descriptor set or define a known name in another file.
 */
export function addDescriptorSet(index: DescriptorIndex, set: Uint8Array): void {
  reading(() => {
    const reader = new WireReader(set);
    while (reader.more()) {
      const tag = reader.tag();
      if (tag === (SET.FILE << 3 | 2)) addFile(index, reader.bytes());
      else reader.skipField(tag);
    }
  });
}

function addFile(index: DescriptorIndex, bytes: Uint8Array): void {
  let name = "";
  let packageName = "";
  let syntax: FileEntry["syntax"] = "proto2";
  let features: Features | undefined;
  const dependencies: string[] = [];
  const parts: { kind: IndexEntry["kind"]; bytes: Uint8Array }[] = [];
  const reader = new WireReader(bytes);
  while (reader.more()) {
    const tag = reader.tag();
    const field = tag >>> 3;
    if ((tag & 7) !== 2) reader.skipField(tag);
    else if (field === FILE.NAME) name = reader.stringVerify();
    else if (field === FILE.PACKAGE) packageName = reader.stringVerify();
    else if (field === FILE.DEPENDENCY) dependencies.push(reader.stringVerify());
    else if (field === FILE.MESSAGE) parts.push({ kind: "message", bytes: reader.bytes() });
    else if (field === FILE.ENUM) parts.push({ kind: "enum", bytes: reader.bytes() });
    else if (field === FILE.SERVICE) parts.push({ kind: "service", bytes: reader.bytes() });
    else if (field === FILE.OPTIONS) features = fileFeatures(reader.bytes());
    else if (field === FILE.SYNTAX) {
      const text = reader.stringVerify();
      syntax = text === "proto3" || text === "editions" ? text : "proto2";
    } else reader.skipField(tag);
  }
  if (index.files.has(name)) return;
  const file: FileEntry = { name, package: packageName, syntax, dependencies, bytes };
  index.files.set(name, file);
  const owner = { file, features: { ...FILE_DEFAULTS[syntax], ...features } };
  for (const part of parts) addSymbol(index, owner, { ...part, prefix: packageName === "" ? "" : `${packageName}.` });
}

function fileFeatures(options: Uint8Array): Features | undefined {
  const reader = new WireReader(options);
  while (reader.more()) {
    const tag = reader.tag();
    if (tag === (FILE_OPTIONS.FEATURES << 3 | 2)) return readFeatures(reader.bytes());
    reader.skipField(tag);
  }
  return undefined;
}

type Owner = Pick<IndexEntry, "file" | "features">;
type Part = Pick<IndexEntry, "kind" | "bytes"> & { readonly prefix: string };

function addSymbol(index: DescriptorIndex, owner: Owner, part: Part): void {
  const { kind, bytes, prefix } = part;
  let name = prefix;
  let mapEntry = false;
  const nested: Omit<Part, "prefix">[] = [];
  const reader = new WireReader(bytes);
  while (reader.more()) {
    const tag = reader.tag();
    const field = tag >>> 3;
    if ((tag & 7) !== 2) reader.skipField(tag);
    else if (field === MESSAGE.NAME) name = prefix + reader.stringVerify();
    else if (kind !== "message") reader.skipField(tag);
    else if (field === MESSAGE.NESTED) nested.push({ kind: "message", bytes: reader.bytes() });
    else if (field === MESSAGE.ENUM) nested.push({ kind: "enum", bytes: reader.bytes() });
    else if (field === MESSAGE.OPTIONS) mapEntry = isMapEntry(reader.bytes());
    else reader.skipField(tag);
  }
  const known = index.symbols.get(name);
  if (known) {
    throw new ChanceryError(
      "invalid-input",
      `Cannot add descriptors: "${name}" in "${owner.file.name}" is already defined in "${known.file.name}"`,
    );
  }
  index.symbols.set(name, { kind, name, ...owner, bytes, mapEntry });
  for (const inner of nested) addSymbol(index, owner, { ...inner, prefix: `${name}.` });
}

function isMapEntry(options: Uint8Array): boolean {
  const reader = new WireReader(options);
  while (reader.more()) {
    const tag = reader.tag();
    if (tag === (MESSAGE_OPTIONS.MAP_ENTRY << 3)) return reader.bool();
    reader.skipField(tag);
  }
  return false;
}
