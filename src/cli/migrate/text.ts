import type { Remark, Weight } from "../../migrate/mod.ts";
import { clean } from "../text/clean.ts";
import type { Paint } from "../text/paint.ts";

const HEADINGS: Readonly<Record<Weight, string>> = {
  first: "HAS TO BE DONE FIRST",
  changes: "WILL CHANGE",
  stays: "STAYS",
};

/** What is in whose way, and what is said where there is nothing at all. */
interface Destination {
  readonly name: string;
  readonly nothing: string;
}

const TO_CHANCERY: Destination = {
  name: "chancery install",
  nothing: "Nothing of MARIN3R or l7mp-xds-operator is here",
};
/** The other way round. */
export const TO_MARIN3R: Destination = { name: "MARIN3R", nothing: "Nothing that MARIN3R would look at is here" };

/** The remarks for people: a heading for each weight, what is to be typed below what it is for. */
export function migrationText(
  remarks: readonly Remark[],
  paint: Paint,
  { name, nothing }: Destination = TO_CHANCERY,
): string {
  if (remarks.length === 0) return `${nothing}\n`;
  const parts = [...Map.groupBy(remarks, ({ weight }) => weight)].map(([weight, some]) => {
    const lines = some.flatMap(({ object, message, next }) => [
      `  ${object === null ? "" : `${clean(object)}: `}${clean(message)}`,
      ...(next === null ? [] : [`    Next: ${clean(next)}`]),
    ]);
    return [paint("bold", HEADINGS[weight]), ...lines].join("\n");
  });
  const count = remarks.filter(({ weight }) => weight === "first").length;
  const end = count === 0
    ? `Nothing stands in the way of: ${name}`
    : `${count === 1 ? "One thing stands" : `${count} things stand`} in the way of: ${name}`;
  return `${parts.join("\n\n")}\n\n${end}\n`;
}
