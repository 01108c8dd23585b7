import type { Path, ReadContext } from "../read/context.ts";
import type { FieldDescriptor, MessageDescriptor, Plain } from "../schema/mod.ts";

export function checkMessage(
  _context: ReadContext,
  _descriptor: MessageDescriptor,
  _given: { message: Plain; bad: ReadonlySet<FieldDescriptor> | undefined; path: Path | undefined },
): void {}
