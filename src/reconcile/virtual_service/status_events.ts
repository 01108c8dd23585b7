import type { Condition } from "../../api/mod.ts";
import type { VirtualServiceStatus } from "../../api/virtual_service/mod.ts";
import type { ObjectKey } from "../../base/mod.ts";
import type { ConfigEvent } from "../engine/object_source.ts";

/** Which change of a condition people are told of, and how. */
const TOLD = [
  { condition: "ClientsRejecting", status: "True", type: "Warning", reason: "Rejected" },
  { condition: "ClientsRejecting", status: "False", type: "Normal", reason: "Accepted" },
  { condition: "Conflict", status: "True", type: "Warning", reason: "Conflict" },
  { condition: "Conflict", status: "False", type: "Normal", reason: "ConflictEnded" },
  { condition: "Valid", status: "False", type: "Warning", reason: "InvalidSpec" },
] as const;

/** What has happened to a VirtualService between two statuses, for people. */
export function statusEvents(
  about: ObjectKey,
  { before, after }: { before: VirtualServiceStatus; after: VirtualServiceStatus },
): ConfigEvent[] {
  return TOLD.flatMap(({ condition, status, type, reason }) => {
    const now = find(after, condition);
    if (now?.status !== status || find(before, condition)?.status === status) return [];
    return [{ about, type, reason, message: now.message }];
  });
}

function find({ conditions = [] }: VirtualServiceStatus, type: string): Condition | undefined {
  return conditions.find((one) => one.type === type);
}
