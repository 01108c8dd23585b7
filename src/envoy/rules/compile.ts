import { ReadContext, type Spot } from "../read/context.ts";
import type { Registry } from "../registry.ts";
import { type FieldDescriptor, KIND, type MessageDescriptor, type Plain, zeroOf } from "../schema/mod.ts";
import { boundChecks } from "./bounds.ts";
import { all, type Check } from "./check_type.ts";
import { bytesChecks, stringChecks } from "./text.ts";

/** What is asked of one field. */
export interface FieldCheck {
  readonly field: FieldDescriptor;
  /** Name of the rule that wants it set. */
  readonly required: string | undefined;
  /** Whether the field must be checked even when it is absent, because zero would break a rule. */
  readonly zeroFails: boolean;
  readonly check: Check | undefined;
}

interface Compiled {
  readonly checks: readonly FieldCheck[];
}

const ANY = "google.protobuf.Any";
const FIELD_RULES = "validate.FieldRules";
const WRAPPER = /^google\.protobuf\.(Double|Float|U?Int64|U?Int32|Bool|String|Bytes)Value$/;

const compiled = new WeakMap<MessageDescriptor, Compiled>();
const skipping = new WeakMap<FieldDescriptor, boolean>();

/** The checks of a message type, made when it is first read. */
export function rulesOf(registry: Registry, descriptor: MessageDescriptor): readonly FieldCheck[] {
  let known = compiled.get(descriptor);
  if (!known) compiled.set(descriptor, known = { checks: compileMessage(registry, descriptor) });
  return known.checks;
}

/**
 * Whether the message in a field is exempt from its own rules: `message.skip`, or rules of `any` on a field that is none, which
 * protoc-gen-validate takes as rules of this field alone (Envoy's ExtensionConfigSource.config_source).
 */
export function skipsRules(registry: Registry, field: FieldDescriptor): boolean {
  let skips = skipping.get(field);
  if (skips === undefined) {
    const rules = field.rules === undefined ? {} : registry.codec(FIELD_RULES).decode(field.rules);
    skips = part(rules, "message")["skip"] === true || (rules["any"] !== undefined && field.typeName !== ANY);
    skipping.set(field, skips);
  }
  return skips;
}

function compileMessage(registry: Registry, descriptor: MessageDescriptor): FieldCheck[] {
  const checks: FieldCheck[] = [];
  for (const field of descriptor.fields) {
    if (!field.rules) continue;
    const rules = registry.codec(FIELD_RULES).decode(field.rules);
    const check = compileField(field, rules, !field.repeated);
    const required = requiredBy(rules);
    if (!check && required === undefined) continue;
    checks.push({
      field,
      required: field.oneof ? undefined : required, // a member of a oneof is either the one that is set or not asked for
      zeroFails: !field.presence && check !== undefined &&
        failsOnZero(registry, check, descriptor.defaults[field.name]),
      check,
    });
  }
  return checks;
}

/** Name of the rule that makes a field required. */
function requiredBy(rules: Plain): string | undefined {
  return ["message", "any", "duration", "timestamp"].find((kind) => part(rules, kind)["required"] === true)?.concat(
    ".required",
  );
}

function failsOnZero(registry: Registry, check: Check, zero: unknown): boolean {
  const context = new ReadContext(registry);
  check(context, { value: zero, up: undefined, segment: "zero" });
  return context.failed;
}

/** The check of a field's value, or of one element when `single`. */
function compileField(field: FieldDescriptor, rules: Plain, single: boolean): Check | undefined {
  const kind = Object.keys(rules).find((key) => key !== "message");
  if (kind === undefined) return undefined;
  const body = part(rules, kind);
  if (kind === "repeated") return listCheck(field, body);
  if (kind === "map") return mapCheck(field, body);
  if (!single) return undefined;
  const check = all(scalarChecks(field, kind, body));
  if (!check || field.kind !== KIND.MESSAGE || !WRAPPER.test(field.typeName)) return check;
  const inner = field.message.fields[0]?.kind ?? KIND.STRING;
  return (context, spot) => {
    const value = (spot.value as Plain)["value"] ?? zeroOf(inner); // a wrapper: the reader made it
    check(context, { ...spot, value });
  };
}

function scalarChecks(field: FieldDescriptor, kind: string, body: Plain): Check[] {
  switch (kind) {
    case "string":
      return stringChecks(body);
    case "bytes":
      return bytesChecks(body);
    case "bool":
      return body["const"] === undefined ? [] : [(context, spot) => {
        if (spot.value !== body["const"]) context.error(spot, `must be ${body["const"]}`, { rule: "bool.const" });
      }];
    case "enum":
      return enumChecks(field, body);
    case "any":
      return anyChecks(body);
    default:
      return boundChecks(kind, body);
  }
}

function enumChecks(field: FieldDescriptor, body: Plain): Check[] {
  const name = (number: unknown) => field.enum.byNumber.get(Number(number))?.name ?? String(number);
  const checks = boundChecks("enum", body, name);
  if (body["defined_only"] === true) {
    checks.push((context, spot) => {
      if (field.enum.byNumber.has(Number(spot.value))) return;
      context.error(spot, `${field.enum.name} has no value ${spot.value}`, { rule: "enum.defined_only" });
    });
  }
  return checks;
}

function anyChecks(body: Plain): Check[] {
  const allowed = items(body["in"]);
  const refused = items(body["not_in"]);
  if (allowed.length + refused.length === 0) return [];
  return [(context, spot) => {
    const url = (spot.value as Plain)["type_url"]; // an Any: the reader made it
    if (allowed.length > 0 && !allowed.includes(url)) {
      context.error(spot, `"@type" must be one of ${allowed.join(", ")}`, { rule: "any.in" });
    }
    if (refused.includes(url)) context.error(spot, `"@type" must not be ${url}`, { rule: "any.not_in" });
  }];
}

function listCheck(field: FieldDescriptor, body: Plain): Check | undefined {
  const item = body["items"] === undefined ? undefined : compileField(field, body["items"] as Plain, true); // FieldRules
  const size = sizeCheck(body, { rule: "repeated", min: "min_items", max: "max_items", noun: "item" });
  return all([
    ...(size ? [size] : []),
    ...(body["unique"] === true ? [checkUnique] : []),
    ...(item
      ? [
        (context: ReadContext, spot: Spot) =>
          (spot.value as readonly unknown[]).forEach((value, segment) => item(context, { value, up: spot, segment })),
      ]
      : []),
  ], (value) => body["ignore_empty"] === true && (value as readonly unknown[]).length === 0);
}

function checkUnique(context: ReadContext, spot: Spot): void {
  const seen = new Map<unknown, number>();
  (spot.value as readonly unknown[]).forEach((value, segment) => { // a list: the reader made it
    const key = typeof value === "object" ? canonical(value) : value;
    const first = seen.get(key);
    if (first === undefined) seen.set(key, segment);
    else context.error({ value, up: spot, segment }, `is the same as item ${first}`, { rule: "repeated.unique" });
  });
}

/** A text that is the same for equal messages and bytes: the reader makes their keys in any order. */
function canonical(value: unknown): string {
  if (value instanceof Uint8Array) return value.toHex();
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (typeof value !== "object" || value === null) return `${typeof value}:${String(value).length}:${value}`;
  const record = value as Plain; // neither null nor a list
  return `{${Object.keys(record).sort().map((key) => `${key}=${canonical(record[key])}`).join()}}`;
}

function mapCheck(field: FieldDescriptor, body: Plain): Check | undefined {
  if (!field.map) return undefined;
  const key = body["keys"] === undefined ? undefined : compileField(field.map.key, body["keys"] as Plain, true); // FieldRules
  const value = body["values"] === undefined ? undefined : compileField(field.map.value, body["values"] as Plain, true);
  const size = sizeCheck(body, { rule: "map", min: "min_pairs", max: "max_pairs", noun: "entry" });
  const entries: Check = (context, spot) => {
    const map = spot.value as Plain; // a map: the reader made it
    for (const segment of Object.keys(map)) {
      key?.(context, { value: segment, up: spot, segment });
      value?.(context, { value: map[segment], up: spot, segment });
    }
  };
  return all(
    [...(size ? [size] : []), ...(key || value ? [entries] : [])],
    (map) => body["ignore_empty"] === true && Object.keys(map as Plain).length === 0,
  );
}

function sizeCheck(
  body: Plain,
  { rule, min, max, noun }: { rule: string; min: string; max: string; noun: string },
): Check | undefined {
  const least = Number(body[min] ?? 0);
  const most = Number(body[max] ?? Infinity);
  if (least === 0 && most === Infinity) return undefined;
  const count = (n: number) => `${n} ${n === 1 ? noun : noun.replace(/y$/, "ie").concat("s")}`;
  return (context, spot) => {
    const size = Object.keys(spot.value as Plain).length; // a list or a map: the reader made it
    const found = `found ${size}`;
    if (size < least) context.error(spot, `needs at least ${count(least)}, ${found}`, { rule: `${rule}.${min}` });
    if (size > most) context.error(spot, `may have at most ${count(most)}, ${found}`, { rule: `${rule}.${max}` });
  };
}

function part(rules: Plain, name: string): Plain {
  return rules[name] as Plain | undefined ?? {}; // the members of FieldRules are messages
}

function items(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
