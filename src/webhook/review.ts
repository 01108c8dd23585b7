import { ChanceryError } from "../base/mod.ts";

/** What the API server asks about, as far as anybody here looks at it. */
export interface AdmissionRequest {
  /** To be repeated in the answer. */
  readonly uid: string;
  /** What the URL of the user's request named. */
  readonly resource: { readonly group: string; readonly version: string; readonly resource: string };
  /** Empty for the object itself. */
  readonly subResource: string;
  readonly operation: string;
  readonly namespace: string;
  readonly name: string;
  /** As it will be; absent for DELETE. */
  readonly object?: unknown;
  /** As it is; absent for CREATE. */
  readonly oldObject?: unknown;
  /** Whether nothing will come of it. */
  readonly dryRun: boolean;
}

/** The one version of reviews that is spoken here. */
export const REVIEW_VERSION = "admission.k8s.io/v1";

/** Deeper than any object an API server takes needs, shallow enough for every function that follows it down. */
const MAX_DEPTH = 1_000;

/**
 * The question in the body of a review.
 * @throws {ChanceryError} `invalid-input` that says what is wrong with the body, and never quotes what is in it
 */
export function readReview(body: string): AdmissionRequest {
  if (depthOf(body) > MAX_DEPTH) throw unreadable(`the body has more than ${MAX_DEPTH} levels`);
  let review: unknown;
  try {
    review = JSON.parse(body);
  } catch {
    throw unreadable("the body is not JSON"); // the parser's own words quote the body
  }
  if (!isRecord(review) || review.kind !== "AdmissionReview") throw unreadable("the body is no AdmissionReview");
  if (review.apiVersion !== REVIEW_VERSION) {
    const version = JSON.stringify(String(review.apiVersion ?? "").slice(0, 60));
    throw unreadable(
      `apiVersion ${version} is not spoken here, only ${REVIEW_VERSION}; list v1 in admissionReviewVersions`,
    );
  }
  const { request } = review;
  if (!isRecord(request)) throw unreadable("there is no request in it");
  const { uid, operation, resource } = request;
  if (typeof uid !== "string" || uid === "") throw unreadable("request.uid is missing");
  if (typeof operation !== "string" || operation === "") throw unreadable("request.operation is missing");
  if (!isRecord(resource) || typeof resource.resource !== "string") throw unreadable("request.resource is missing");
  return {
    uid,
    operation,
    resource: { group: text(resource.group), version: text(resource.version), resource: resource.resource },
    subResource: text(request.subResource),
    namespace: text(request.namespace),
    name: text(request.name),
    dryRun: request.dryRun === true,
    ...(isRecord(request.object) ? { object: request.object } : {}),
    ...(isRecord(request.oldObject) ? { oldObject: request.oldObject } : {}),
  };
}

function unreadable(why: string): ChanceryError {
  return new ChanceryError("invalid-input", `Cannot read the admission review: ${why}`);
}

/** How deep objects and lists are nested, seen from the text, since what is parsed can be walked only by recursion. */
function depthOf(json: string): number {
  let depth = 0;
  let deepest = 0;
  for (let at = 0; at < json.length; at++) {
    const mark = json.charAt(at);
    if (mark === '"') at = endOfString(json, at);
    else if (mark === "{" || mark === "[") deepest = Math.max(deepest, ++depth);
    else if (mark === "}" || mark === "]") depth--;
  }
  return deepest;
}

/** Index of the quote that ends the string which begins at `start`, or of the end of the text. */
function endOfString(json: string, start: number): number {
  for (let end = json.indexOf('"', start + 1); end >= 0; end = json.indexOf('"', end + 1)) {
    let slashes = 0;
    while (json.charAt(end - 1 - slashes) === "\\") slashes++;
    if (slashes % 2 === 0) return end;
  }
  return json.length;
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
