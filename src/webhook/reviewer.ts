import type { AdmissionRequest } from "./review.ts";
import { misdirected, type Verdict } from "./verdict.ts";

/** Operations that a webhook can be asked about. */
export type Operation = "CREATE" | "UPDATE" | "DELETE";

/** One webhook: where it is, what it is asked about, and what it says. Server and registration are made from a list of these. */
export interface Reviewer {
  /** Name of its entry in the configuration; users see it in each refusal. */
  readonly name: string;
  readonly path: string;
  readonly resource: { readonly group: string; readonly version: string; readonly plural: string };
  /** What the API server is to ask about; other operations are answered, too. */
  readonly operations: readonly Operation[];
  /** Conditions, in CEL, without which there is no need to ask. */
  readonly matchConditions: readonly { readonly name: string; readonly expression: string }[];
  /** For one that changes objects: which of them it is asked about. */
  readonly mutates?: { readonly objectSelector: { readonly matchLabels: Readonly<Record<string, string>> } };
  /** Pure: the same question gets the same answer. Never throws for anything that can be in a request. */
  review(request: AdmissionRequest): Verdict;
}

/** What a reviewer says of a request, if the request is for it at all. */
export function reviewBy(reviewer: Reviewer, request: AdmissionRequest): Verdict {
  const { group, plural } = reviewer.resource;
  const asked = request.resource;
  if (asked.group === group && asked.resource === plural) return reviewer.review(request);
  const what = JSON.stringify([asked.resource, asked.group].filter(Boolean).join(".").slice(0, 200));
  return misdirected(
    `Cannot review ${what} at ${reviewer.path}: this is the place for "${[plural, group].filter(Boolean).join(".")}"`,
  );
}
