import { type Finding, hasErrors } from "../../base/mod.ts";
import { type Injection, INJECTION_LABEL, INJECTION_PATH } from "../../inject/mod.ts";
import type { AdmissionRequest } from "../review.ts";
import type { Reviewer } from "../reviewer.ts";
import { sentence } from "../told.ts";
import { allow, deny, misdirected, type Verdict, type VerdictReason } from "../verdict.ts";

/** Options of {@linkcode podReviewer}. */
export interface PodReviewerOptions {
  /** What becomes of a pod of that namespace: the same each time, but for the token of its hook. */
  inject(pod: unknown, namespace: string): Injection;
}

/**
 * The webhook that gives pods their sidecars (spec/operator section 10): asked only for pods with the label, it patches
 * in what the
 * annotations ask for, or refuses the pod with all that is wrong.
 */
export function podReviewer({ inject }: PodReviewerOptions): Reviewer {
  return {
    name: "sidecar-injector.marin3r.3scale.net",
    path: INJECTION_PATH,
    resource: { group: "", version: "v1", plural: "pods" },
    operations: ["CREATE"],
    matchConditions: [],
    mutates: { objectSelector: { matchLabels: { [INJECTION_LABEL.name]: INJECTION_LABEL.value } } },
    review: (request) => refusedQuestion(request) ?? verdictOn(inject(request.object, request.namespace)),
  };
}

/** What there is to say before the pod is looked at. */
function refusedQuestion({ operation, subResource, object }: AdmissionRequest): Verdict | undefined {
  if (subResource !== "") return allow("subresource");
  if (operation !== "CREATE") {
    return misdirected(`Cannot review operation ${JSON.stringify(operation.slice(0, 60))} of a pod`);
  }
  if (object === undefined) return misdirected("Cannot review a pod: request.object is missing");
  return isLabelled(object) ? undefined : allow("not-asked");
}

function isLabelled(object: unknown): boolean {
  const { metadata } = object as { metadata?: { labels?: Readonly<Record<string, unknown>> | null } | null };
  return metadata?.labels?.[INJECTION_LABEL.name] === INJECTION_LABEL.value;
}

function verdictOn(injection: Injection): Verdict {
  const findings = injection.findings.map(byAnnotation);
  const warnings = findings.filter(({ severity }) => severity === "warning");
  if (injection.kind === "injected") return { ...allow("injected", warnings), patch: injection.patch };
  if (injection.kind === "present") return allow("already-injected", warnings);
  const errors = findings.filter((finding) => hasErrors([finding]));
  return deny(reasonOf(errors), { message: `Cannot give the pod its sidecar: ${sentence(errors)}`, warnings });
}

/** A discovery service that is missing is named first, since it may be there in a moment. */
function reasonOf(errors: readonly Finding[]): VerdictReason {
  const rules = new Set(errors.map(({ rule }) => rule));
  if (rules.has("discovery-service")) return "no-discovery-service";
  return rules.size === 1 && rules.has("name-taken") ? "name-taken" : "invalid";
}

/** In a message the name of an annotation says more than where annotations are. */
function byAnnotation(finding: Finding): Finding {
  const [metadata, annotations, name] = finding.path;
  if (metadata !== "metadata" || annotations !== "annotations" || typeof name !== "string") return finding;
  return { ...finding, path: [], message: `${name}: ${finding.message}` };
}
