import { readVirtualService, VIRTUAL_SERVICE } from "../../api/virtual_service/mod.ts";
import type { Finding } from "../../base/mod.ts";
import { BOOTSTRAP } from "../../bootstrap/mod.ts";
import type { AdmissionRequest } from "../review.ts";
import type { Reviewer } from "../reviewer.ts";
import { specReviewer } from "../spec_reviewer.ts";
import { sentence } from "../told.ts";
import { allow, deny, type Verdict } from "../verdict.ts";

/**
 * The webhook of VirtualServices: all that is wrong comes in one refusal, what is legal and likely wrong in warnings. What an object
 * already held is not held against it, so that it can be repaired in steps. Names and ports that another VirtualService has for
 * the same pod are no matter of admission: the status of the younger object tells of them, whichever comes first.
 */
export function virtualServiceReviewer(): Reviewer {
  return specReviewer(VIRTUAL_SERVICE, judge);
}

function judge({ object, oldObject }: AdmissionRequest): Verdict {
  const before = new Set(oldObject === undefined ? [] : findingsOf(oldObject).map(sayingOf));
  const findings = findingsOf(object).map((finding): Finding =>
    finding.severity === "error" && before.has(sayingOf(finding)) ? { ...finding, severity: "warning" } : finding
  );
  const warnings = findings.filter(({ severity }) => severity === "warning");
  const errors = findings.filter(({ severity }) => severity === "error");
  if (errors.length === 0) return allow("valid", warnings);
  return deny("invalid", { message: `Cannot serve the VirtualService: ${sentence(errors)}`, warnings });
}

function findingsOf(object: unknown): readonly Finding[] {
  return readVirtualService(object, { staticClusters: [BOOTSTRAP.cluster] }).findings;
}

/** The same for the same mistake wherever in its list it stands. */
function sayingOf({ path, message }: Finding): string {
  return JSON.stringify([path.filter((segment) => typeof segment === "string"), message]);
}
