import type { CliContext } from "../command.ts";
import { documentText } from "../output.ts";
import { nameOf } from "../source/names.ts";

/** A report, as far as its items can change. */
interface Report<Item> {
  readonly items: readonly Item[];
}

/** Prints the items that changed, as kubectl does: below each other. False when nobody reads any more. */
export async function printChanges<Item extends { namespace: string; name: string }, R extends Report<Item>>(
  before: R,
  after: R & Report<Item>,
  { output, context, text }: {
    output: "text" | "wide" | "json" | "yaml" | "name";
    context: Pick<CliContext, "out">;
    /** For people. */
    text(report: R, only: ReadonlySet<Item>): string;
  },
): Promise<boolean> {
  const known = new Map(before.items.map((item) => [nameOf(item), JSON.stringify(item)]));
  const changed = after.items.filter((item) => known.get(nameOf(item)) !== JSON.stringify(item));
  if (changed.length === 0) return true;
  if (output === "json") return context.out(changed.map((item) => `${JSON.stringify(item)}\n`).join(""));
  if (output === "yaml") {
    const texts = await Promise.all(changed.map((item) => documentText(item, "yaml")));
    return context.out(texts.map((text) => `---\n${text}`).join(""));
  }
  if (output === "name") return context.out(changed.map((item) => `${nameOf(item)}\n`).join(""));
  return context.out(text(after, new Set(changed)));
}
