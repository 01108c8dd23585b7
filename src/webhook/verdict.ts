import type { Finding } from "../base/mod.ts";

/** Why a request passes or does not, in one word, for metrics. */
export type VerdictReason =
  | "valid"
  | "unchanged"
  | "deleted"
  | "being-deleted"
  | "subresource"
  | "invalid"
  | "node-id-conflict"
  | "injected"
  | "already-injected"
  | "not-asked"
  | "no-discovery-service"
  | "name-taken"
  | "wrong-request";

/** What is to be answered. */
export type Verdict =
  | {
    readonly allowed: true;
    readonly reason: VerdictReason;
    readonly warnings: readonly Finding[];
    /** What is changed of the object: operations of a JSON Patch (RFC 6902). */
    readonly patch?: readonly unknown[];
  }
  | {
    readonly allowed: false;
    readonly reason: VerdictReason;
    /** 403 for an object that is refused, 400 for a question that makes no sense here. */
    readonly code: 400 | 403;
    readonly message: string;
    readonly warnings: readonly Finding[];
  };

/** Lets a request pass. */
export function allow(reason: VerdictReason, warnings: readonly Finding[] = []): Verdict & { readonly allowed: true } {
  return { allowed: true, reason, warnings };
}

/** Refuses an object, in `message`. */
export function deny(
  reason: VerdictReason,
  { message, warnings = [] }: { message: string; warnings?: readonly Finding[] },
): Verdict {
  return { allowed: false, reason, code: 403, message, warnings };
}

/** Refuses a question that whoever registered the webhook should not have sent. */
export function misdirected(message: string): Verdict {
  return { allowed: false, reason: "wrong-request", code: 400, message, warnings: [] };
}
