import type { ReadContext, Spot } from "../read/context.ts";
import type { FieldDescriptor, MessageDescriptor, Plain } from "../schema/mod.ts";
import { rulesOf } from "./compile.ts";
import { checkRegex } from "./regex.ts";

/** A message that was read, and where from. */
export interface Checked {
  readonly message: Plain;
  /** The JSON it was read from, for the spelling of its keys. */
  readonly members: Record<string, unknown>;
  /** Fields that could not be read, about which there is nothing more to say. */
  readonly bad: ReadonlySet<FieldDescriptor> | undefined;
  readonly spot: Spot;
}

/** Checks the fields of one message, and the expression in it; what is inside them was checked when it was read. */
export function checkMessage(context: ReadContext, descriptor: MessageDescriptor, checked: Checked): void {
  const { message, members, bad, spot } = checked;
  for (const oneof of descriptor.oneofs) {
    if (!oneof.required || oneof.fields.some((f) => Object.hasOwn(message, f.name) || bad?.has(f))) continue;
    const names = oneof.fields.map((f) => f.name).join(", ");
    context.error(spot, `one of ${names} is required`, { rule: "oneof.required" });
  }
  for (const { field, required, zeroFails, check } of rulesOf(context.registry, descriptor)) {
    const isSet = Object.hasOwn(message, field.name);
    if (!isSet && !required && !zeroFails) continue;
    if (bad?.has(field)) continue;
    const segment = field.name in members || !(field.jsonName in members) ? field.name : field.jsonName;
    const at: Spot = { value: message[field.name], up: spot, segment };
    if (!isSet && required !== undefined) context.error(at, "is required", { rule: required });
    else if (!check || (!isSet && !zeroFails)) continue;
    else if (field.sensitive) context.under({ hidden: true, unchecked: false }, () => check(context, at));
    else check(context, at);
  }
  checkRegex(context, spot, { type: descriptor.name, message });
}
