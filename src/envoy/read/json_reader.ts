import { suggest } from "../../base/mod.ts";
import { checkMessage } from "../rules/mod.ts";
import { type FieldDescriptor, KIND, type MessageDescriptor, type Plain } from "../schema/mod.ts";
import { MAX_WIRE_DEPTH, newMessage } from "../wire/decode.ts";
import { readAny } from "./any.ts";
import { BAD, type Path, type ReadContext } from "./context.ts";
import { isObject } from "./is_object.ts";
import { readInteger, readScalar, tellDeprecated } from "./scalar.ts";
import { WELL_KNOWN } from "./well_known.ts";

const ANY = "google.protobuf.Any";
const VALUE = "google.protobuf.Value";
const NULL_VALUE = "google.protobuf.NullValue";
const STRUCT_LEVELS = 3;

/**
 * Walks down a JSON value beside the descriptor of the message that it should be, and notes all that does not fit:
 * https://protobuf.dev/programming-guides/json/. Stricter than Envoy's own parser, which takes both spellings of a
 * field at once and `"true"` for true.
 */
export class JsonReader {
  readonly context: ReadContext;
  /** Levels of JSON, over all. */
  #depth = 0;
  /** Levels of messages since the last Any, whose content Envoy parses on its own. */
  #wireDepth = 0;

  constructor(context: ReadContext) {
    this.context = context;
  }

  /** A message of any type, the well-known ones included; {@linkcode BAD} when it could not be read at all. */
  message(descriptor: MessageDescriptor, value: unknown, path: Path | undefined): Plain | typeof BAD {
    if (descriptor.name === ANY) return readAny(this, value, path);
    const wellKnown = WELL_KNOWN.get(descriptor.name);
    if (wellKnown) return wellKnown(this, descriptor, { value, path });
    if (!isObject(value)) {
      const wanted = `expected an object (${descriptor.name})`;
      return this.context.error(path, `${wanted}, found ${this.context.describe(value)}`, {
        rule: "wrong-type",
        value,
      });
    }
    return this.members(descriptor, value, { path });
  }

  /** The members of an object as fields; `except` is a member that is none (`@type`). */
  members(
    descriptor: MessageDescriptor,
    value: Record<string, unknown>,
    { path, except }: { path: Path | undefined; except?: string },
  ): Plain | typeof BAD {
    if (this.#wireDepth >= MAX_WIRE_DEPTH) return this.#tooDeep(path);
    this.#wireDepth++;
    const out = newMessage(descriptor);
    let bad: Set<FieldDescriptor> | undefined;
    for (const key of Object.keys(value)) {
      if (key === except || value[key] === undefined) continue;
      const field = descriptor.byName.get(key);
      if (!field) this.#unknownField(descriptor, key, path);
      else if (!this.#member(field, out, { value: value[key], key, path, bad })) (bad ??= new Set()).add(field);
    }
    if (this.context.checkRules && !descriptor.unchecked) {
      checkMessage(this.context, descriptor, { message: out, bad, path });
    }
    this.#wireDepth--;
    return out;
  }

  /** Reads one member into `out`; false when it could not be read. */
  #member(
    field: FieldDescriptor,
    out: Plain,
    given: { value: unknown; key: string; path: Path | undefined; bad: ReadonlySet<FieldDescriptor> | undefined },
  ): boolean {
    const { value, key, bad } = given;
    const path: Path = { up: given.path, segment: key };
    if (value === null && !takesNull(field)) return true; // null is the same as absent
    if (Object.hasOwn(out, field.name) || bad?.has(field)) {
      this.context.error(path, `field "${field.name}" is given twice`, { rule: "duplicate-field" });
      return false;
    }
    const other = field.oneof?.fields.find((o) => Object.hasOwn(out, o.name) || bad?.has(o));
    if (field.oneof && other) {
      const names = field.oneof.fields.map((f) => f.name).join(", ");
      this.context.error(path, `only one of ${names} may be set, "${other.name}" is set already`, { rule: "oneof" });
      return false;
    }
    tellDeprecated(this.context, { what: `field "${field.name}"`, deprecation: field.deprecation }, path);
    const read = field.sensitive
      ? this.context.hide(() => this.field(field, value, path))
      : this.field(field, value, path);
    if (read === BAD) return false;
    out[field.name] = read;
    return true;
  }

  /** The value of a field: one, a list or a map. */
  field(field: FieldDescriptor, value: unknown, path: Path): unknown {
    if (field.map) return this.#map(field, value, path);
    return field.repeated ? this.#list(field, value, path) : this.single(field, value, path);
  }

  /** One value of a field's type. */
  single(field: FieldDescriptor, value: unknown, path: Path): unknown {
    if (field.kind !== KIND.MESSAGE) return readScalar(this.context, field, value, path);
    return this.deeper(path, () => this.message(field.message, value, path));
  }

  /** Runs `read` one level further down, unless that is too deep. */
  deeper<T>(path: Path | undefined, read: () => T): T | typeof BAD {
    if (this.#depth >= this.context.maxDepth) return this.#tooDeep(path);
    this.#depth++;
    const result = read();
    this.#depth--;
    return result;
  }

  /** As {@linkcode deeper}, for google.protobuf.Struct: Struct, map entry and Value are three levels on the wire. */
  nested<T>(path: Path | undefined, read: () => T): T | typeof BAD {
    if (this.#wireDepth + STRUCT_LEVELS > MAX_WIRE_DEPTH) return this.#tooDeep(path);
    this.#wireDepth += STRUCT_LEVELS;
    const result = this.deeper(path, read);
    this.#wireDepth -= STRUCT_LEVELS;
    return result;
  }

  /** Runs `read` with the count of wire levels begun anew. */
  apart<T>(read: () => T): T {
    const outer = this.#wireDepth;
    this.#wireDepth = 0;
    const result = read();
    this.#wireDepth = outer;
    return result;
  }

  #list(field: FieldDescriptor, value: unknown, path: Path): unknown {
    if (!Array.isArray(value)) {
      return this.context.error(path, `expected a list, found ${this.context.describe(value)}`, {
        rule: "wrong-type",
        value,
      });
    }
    const out: unknown[] = [];
    let complete = true;
    for (let i = 0; i < value.length; i++) {
      const at: Path = { up: path, segment: i };
      const item: unknown = value[i];
      const read = item === null && !takesNull(field)
        ? this.context.error(at, "a list may not hold null", { rule: "wrong-type" })
        : this.single(field, item, at);
      if (read === BAD) complete = false;
      else out.push(read);
    }
    return complete ? out : BAD;
  }

  #map(field: FieldDescriptor, value: unknown, path: Path): unknown {
    if (!field.map) return BAD;
    if (!isObject(value)) {
      const found = this.context.describe(value);
      return this.context.error(path, `expected an object (a map), found ${found}`, { rule: "wrong-type", value });
    }
    const out = Object.create(null) as Plain; // without a prototype "__proto__" is a key like any other
    let complete = true;
    for (const key of Object.keys(value)) {
      const at: Path = { up: path, segment: key };
      const name = this.#mapKey(field.map.key, key, at);
      const item = value[key];
      const read = item === null && !takesNull(field.map.value)
        ? this.context.error(at, "a map may not hold null", { rule: "wrong-type" })
        : this.single(field.map.value, item, at);
      if (name === BAD || read === BAD) complete = false;
      else out[name] = read;
    }
    return complete ? out : BAD;
  }

  #mapKey(field: FieldDescriptor, key: string, path: Path): string | typeof BAD {
    if (field.kind === KIND.STRING) {
      return key.isWellFormed()
        ? key
        : this.context.error(path, "expected Unicode text as key", { rule: "wrong-type" });
    }
    if (field.kind === KIND.BOOL) {
      if (key === "true" || key === "false") return key;
      return this.context.error(path, "expected true or false as key", { rule: "wrong-type" });
    }
    const read = readInteger(this.context, key, { path, kind: field.kind });
    return read === BAD ? BAD : String(read);
  }

  #unknownField(descriptor: MessageDescriptor, key: string, path: Path | undefined): void {
    const names = descriptor.fields.map((f) => f.name);
    this.context.error({ up: path, segment: key }, `${descriptor.name} has no field "${shortKey(key)}"`, {
      rule: "unknown-field",
      suggestion: this.context.suggest(() => suggest(shortKey(key), names)),
    });
  }

  #tooDeep(path: Path | undefined): typeof BAD {
    return this.context.error(path, "nested too deeply", { rule: "too-deep" });
  }
}

function shortKey(key: string): string {
  return key.length > 100 ? `${key.slice(0, 97).toWellFormed()}...` : key;
}

/** Whether JSON's null is a value of this field, and not its absence. */
function takesNull(field: FieldDescriptor): boolean {
  return field.typeName === VALUE || field.typeName === NULL_VALUE;
}
