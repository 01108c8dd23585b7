import { REVIEW_VERSION } from "./review.ts";
import { warningTexts } from "./told.ts";
import type { Verdict } from "./verdict.ts";

/** The answer to a review, as it goes back. */
export interface AdmissionAnswer {
  readonly apiVersion: string;
  readonly kind: "AdmissionReview";
  readonly response: {
    readonly uid: string;
    readonly allowed: boolean;
    readonly status?: { readonly code: number; readonly reason: string; readonly message: string };
    readonly warnings?: readonly string[];
    readonly patchType?: "JSONPatch";
    /** The patch as JSON, in base64. */
    readonly patch?: string;
  };
}

const REASONS = { 400: "BadRequest", 403: "Forbidden" } as const;

/** Puts a verdict into the words of Kubernetes; `uid` is that of the request. */
export function answerOf(uid: string, verdict: Verdict): AdmissionAnswer {
  const warnings = warningTexts(verdict.warnings);
  return {
    apiVersion: REVIEW_VERSION,
    kind: "AdmissionReview",
    response: {
      uid,
      allowed: verdict.allowed,
      ...(verdict.allowed
        ? {}
        : { status: { code: verdict.code, reason: REASONS[verdict.code], message: verdict.message } }),
      ...(warnings.length > 0 ? { warnings } : {}),
      ...(verdict.allowed && verdict.patch ? { patchType: "JSONPatch", patch: base64(verdict.patch) } : {}),
    },
  };
}

function base64(document: unknown): string {
  return new TextEncoder().encode(JSON.stringify(document)).toBase64();
}
