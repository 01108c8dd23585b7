import type { PathSegment } from "../../base/mod.ts";
import { suggest } from "../../base/mod.ts";
import { checkMessage, skipsRules } from "../rules/mod.ts";
import { type FieldDescriptor, KIND, type MessageDescriptor, type Plain } from "../schema/mod.ts";
import { MAX_WIRE_DEPTH, newMessage } from "../wire/decode.ts";
import { readAny } from "./any.ts";
import { BAD, type ReadContext, shorten, type Spot } from "./context.ts";
import { readInteger } from "./integer.ts";
import { isObject } from "./is_object.ts";
import { notUnicode, readScalar, tellDeprecated } from "./scalar.ts";
import { WELL_KNOWN } from "./well_known.ts";

const ANY = "google.protobuf.Any";
const VALUE = "google.protobuf.Value";
const NULL_VALUE = "google.protobuf.NullValue";
/** Messages that hold a secret or name one: a text in their place is likely the secret itself. */
const SECRET_HOLDERS = new Set([
  "envoy.config.core.v3.DataSource",
  "envoy.extensions.transport_sockets.tls.v3.SdsSecretConfig",
]);
/** google.protobuf.Struct inside itself is three messages deeper: Struct, map entry, Value. */
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
  message(descriptor: MessageDescriptor, spot: Spot): Plain | typeof BAD {
    if (descriptor.name === ANY) return readAny(this, spot);
    const wellKnown = WELL_KNOWN.get(descriptor.name);
    if (wellKnown) return wellKnown(this, spot, descriptor);
    if (isObject(spot.value)) return this.members(descriptor, spot, { members: spot.value });
    return this.context.under(
      { hidden: SECRET_HOLDERS.has(descriptor.name), unchecked: false },
      () => this.context.wrongType(spot, `an object (${descriptor.name})`),
    );
  }

  /** The members of an object as fields; `except` is a member that is none (`@type`). */
  members(
    descriptor: MessageDescriptor,
    spot: Spot,
    { members, except }: { members: Record<string, unknown>; except?: string },
  ): Plain | typeof BAD {
    if (this.#wireDepth >= MAX_WIRE_DEPTH) return this.#tooDeep(spot);
    this.#wireDepth++;
    const out = newMessage(descriptor);
    let bad: Set<FieldDescriptor> | undefined;
    for (const key of Object.keys(members)) {
      const value = members[key];
      if (key === except || value === undefined) continue;
      const field = descriptor.byName.get(key);
      const at: Spot = { value, up: spot, segment: key };
      if (!field) this.#unknownField(descriptor, key, at);
      else if (key !== field.name && members[field.name] !== undefined) {
        this.context.error(at, `field "${field.name}" is given twice`, { rule: "duplicate-field" });
      } else if (!this.#member(field, at, { out, bad })) (bad ??= new Set()).add(field);
    }
    if (this.context.checksRules && !descriptor.unchecked) {
      checkMessage(this.context, descriptor, { message: out, members, bad, spot });
    }
    this.#wireDepth--;
    return out;
  }

  /** Reads one member into `out`; false when it could not be read. */
  #member(
    field: FieldDescriptor,
    spot: Spot,
    { out, bad }: { out: Plain; bad: ReadonlySet<FieldDescriptor> | undefined },
  ): boolean {
    if (spot.value === null && (field.repeated || !takesNull(field))) return true; // null is the same as absent
    const other = field.oneof?.fields.find((o) => Object.hasOwn(out, o.name) || bad?.has(o));
    if (field.oneof && other) {
      const names = field.oneof.fields.map((f) => f.name).join(", ");
      this.context.error(spot, `only one of ${names} may be set, "${other.name}" is set already`, { rule: "oneof" });
      return false;
    }
    tellDeprecated(this.context, spot, { what: `field "${field.name}"`, deprecation: field.deprecation });
    const unchecked = field.rules !== undefined && skipsRules(this.context.registry, field);
    const read = field.sensitive || unchecked
      ? this.context.under({ hidden: field.sensitive, unchecked }, () => this.#field(field, spot))
      : this.#field(field, spot);
    if (read === BAD) return false;
    out[field.name] = read;
    return true;
  }

  #field(field: FieldDescriptor, spot: Spot): unknown {
    if (field.map) return this.#map(field.map.key, field.map.value, spot);
    return field.repeated ? this.#list(field, spot) : this.single(field, spot);
  }

  /** One value of a field's type. */
  single(field: FieldDescriptor, spot: Spot): unknown {
    if (field.kind !== KIND.MESSAGE) return readScalar(this.context, field, spot);
    return this.deeper(spot, () => this.message(field.message, spot));
  }

  /** Runs `read` one level further down, unless that is too deep. */
  deeper<T>(spot: Spot, read: () => T): T | typeof BAD {
    if (this.#depth >= this.context.maxDepth) return this.#tooDeep(spot);
    this.#depth++;
    const result = read();
    this.#depth--;
    return result;
  }

  /** As {@linkcode deeper}, for google.protobuf.Struct. */
  deeperStruct<T>(spot: Spot, read: () => T): T | typeof BAD {
    if (this.#wireDepth + STRUCT_LEVELS > MAX_WIRE_DEPTH) return this.#tooDeep(spot);
    this.#wireDepth += STRUCT_LEVELS;
    const result = this.deeper(spot, read);
    this.#wireDepth -= STRUCT_LEVELS;
    return result;
  }

  /** Runs `read` for the content of an Any, which Envoy parses and checks on its own. */
  apart<T>(read: () => T): T {
    const outer = this.#wireDepth;
    this.#wireDepth = 0;
    const result = this.context.checkedAgain(read);
    this.#wireDepth = outer;
    return result;
  }

  #list(field: FieldDescriptor, spot: Spot): unknown {
    if (!Array.isArray(spot.value)) return this.context.wrongType(spot, "a list");
    const out: unknown[] = [];
    const { length } = spot.value;
    for (let i = 0; i < length; i++) {
      const read = this.#element(field, { value: spot.value[i], up: spot, segment: i });
      if (read !== BAD) out.push(read);
    }
    return out.length === length ? out : BAD;
  }

  #map(key: FieldDescriptor, value: FieldDescriptor, spot: Spot): unknown {
    if (!isObject(spot.value)) return this.context.wrongType(spot, "an object (a map)");
    const out = Object.create(null) as Plain; // without a prototype "__proto__" is a key like any other
    let complete = true;
    for (const segment of Object.keys(spot.value)) {
      if (spot.value[segment] === undefined) continue;
      const at: Spot = { value: spot.value[segment], up: spot, segment };
      const name = this.#mapKey(key, { value: segment, up: spot, segment });
      const read = this.#element(value, at);
      if (name === BAD || read === BAD) complete = false;
      else if (name in out) {
        this.context.error(at, `key "${name}" is given twice`, { rule: "duplicate-field" });
        complete = false;
      } else out[name] = read;
    }
    return complete ? out : BAD;
  }

  #element(field: FieldDescriptor, spot: Spot): unknown {
    if (spot.value !== null || takesNull(field)) return this.single(field, spot);
    return this.context.error(spot, "null may not stand here", { rule: "wrong-type" });
  }

  /** The key as the text under which the plain form keeps it. */
  #mapKey(field: FieldDescriptor, spot: Spot & { readonly value: string }): string | typeof BAD {
    if (field.kind === KIND.STRING) return spot.value.isWellFormed() ? spot.value : notUnicode(this.context, spot);
    if (field.kind === KIND.BOOL) {
      return spot.value === "true" || spot.value === "false"
        ? spot.value
        : this.context.wrongType(spot, "true or false");
    }
    const read = readInteger(this.context, spot, field.kind);
    return read === BAD ? BAD : String(read);
  }

  #unknownField(descriptor: MessageDescriptor, key: PathSegment, spot: Spot): void {
    const shown = shorten(String(key));
    this.context.error(spot, `${descriptor.name} has no field "${shown}"`, {
      rule: "unknown-field",
      suggestion: this.context.suggest(() => suggest(shown, descriptor.fields.map((f) => f.name))),
    });
  }

  #tooDeep(spot: Spot): typeof BAD {
    return this.context.error(spot, "nested too deeply", { rule: "too-deep" });
  }
}

/** Whether JSON's null is a value of this field's type; of others it is the absence. */
function takesNull(field: FieldDescriptor): boolean {
  return field.typeName === VALUE || field.typeName === NULL_VALUE;
}
