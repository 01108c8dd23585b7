import type { KindDefinition } from "../api/mod.ts";
import { canonicalJson } from "../base/mod.ts";
import type { AdmissionRequest } from "./review.ts";
import type { Reviewer } from "./reviewer.ts";
import { allow, misdirected, type Verdict } from "./verdict.ts";

/**
 * The webhook of one of our kinds that looks at what its spec says. An update that leaves the spec alone always passes (W31), and
 * so does whatever happens to an object that is being deleted; the API server is told not to ask about them.
 */
export function specReviewer(kind: KindDefinition, judge: (request: AdmissionRequest) => Verdict): Reviewer {
  const { group, version, plural, singular } = kind;
  return {
    name: `${singular}.${group}-${version}`,
    path: `/validate-${group.replaceAll(".", "-")}-${version}-${singular}`,
    resource: { group, version, plural },
    operations: ["CREATE", "UPDATE"],
    matchConditions: [
      { name: "not-being-deleted", expression: "!has(object.metadata.deletionTimestamp)" },
      {
        name: "spec-changes",
        expression: "oldObject == null || !has(object.spec) || !has(oldObject.spec) || object.spec != oldObject.spec",
      },
    ],
    review: (request) => pass(request, kind) ?? judge(request),
  };
}

/** A field of something that came from outside, if it has it. */
export function member(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Readonly<Record<string, unknown>>)[name]; // it has the member
}

/** Reasons not to look at the content, in this order. */
function pass({ operation, subResource, object, oldObject }: AdmissionRequest, kind: KindDefinition) {
  const one = `${/^[AEIOU]/.test(kind.kind) ? "an" : "a"} ${kind.kind}`;
  if (operation === "DELETE") return allow("deleted");
  if (operation !== "CREATE" && operation !== "UPDATE") {
    return misdirected(`Cannot review operation ${JSON.stringify(operation.slice(0, 60))} of ${one}`);
  }
  if (subResource !== "") return allow("subresource");
  if (object === undefined) return misdirected(`Cannot review ${one}: request.object is missing`);
  if (member(member(object, "metadata"), "deletionTimestamp")) return allow("being-deleted");
  const unchanged = oldObject !== undefined &&
    canonicalJson(member(object, "spec")) === canonicalJson(member(oldObject, "spec"));
  return unchanged ? allow("unchanged") : undefined;
}
