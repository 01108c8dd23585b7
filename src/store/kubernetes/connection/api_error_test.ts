import { expect } from "expect";
import { apiError } from "./api_error.ts";

const ASKED = { doing: 'list Secret in namespace "demo"', server: "https://api:6443" };

function answer(status: number, more: object = {}) {
  return {
    status,
    body: JSON.stringify({ kind: "Status", message: "words", reason: "Reason", details: { name: "a" }, ...more }),
  };
}

Deno.test("each status of the API server is one of our codes", () => {
  const codes = [400, 401, 403, 404, 405, 409, 410, 413, 415, 422, 429, 500, 501, 502, 503, 504, 418]
    .map((status) => [status, apiError(answer(status), ASKED)] as const)
    .map(([status, { code, retryable }]) => `${status} ${code}${retryable ? " again" : ""}`);
  expect(codes).toEqual([
    "400 invalid-input",
    "401 forbidden",
    "403 forbidden",
    "404 not-found",
    "405 invalid-input",
    "409 conflict again",
    "410 unavailable again",
    "413 invalid-input",
    "415 invalid-input",
    "422 invalid-input",
    "429 unavailable again",
    "500 unavailable again",
    "501 internal",
    "502 unavailable again",
    "503 unavailable again",
    "504 unavailable again",
    "418 internal",
  ]);
});

Deno.test("a message says what was asked, where, and what to do", () => {
  expect(apiError(answer(403, { message: "secrets is forbidden" }), ASKED).message).toBe(
    'Cannot list Secret in namespace "demo": the API server https://api:6443 says: secrets is forbidden ' +
      "(grant it with a Role or ClusterRole and a binding)",
  );
  expect(apiError({ status: 502, body: "<html>bad gateway</html>" }, ASKED).message).toBe(
    'Cannot list Secret in namespace "demo": the API server https://api:6443 says: HTTP status 502',
  );
  const long = apiError(answer(500, { message: "x".repeat(5000) }), ASKED).message;
  expect(long.length).toBeLessThan(1200);
});

Deno.test("a kind that is not installed is not an object that is not there", () => {
  const noObject = apiError(answer(404, { reason: "NotFound" }), ASKED);
  const noKind = apiError({ status: 404, body: "404 page not found" }, ASKED);
  expect([noObject.reason, noKind.reason]).toEqual(["NotFound", ""]);
  expect(noKind.message).toContain("the kind may not be installed there");
});

Deno.test("what an API server says of a Secret is not passed on where it may quote it", () => {
  const details = { name: "a", causes: [{ reason: "FieldValueInvalid", field: "data[tls.crt]", message: "canary" }] };
  const body = answer(422, { message: "invalid: canary", reason: "Invalid", details });
  const { message, causes } = apiError(body, { ...ASKED, secret: true });
  expect(message).not.toContain("canary");
  expect(message).toContain("Invalid, data[tls.crt]: FieldValueInvalid");
  expect(causes).toEqual([{ reason: "FieldValueInvalid", field: "data[tls.crt]" }]);
  expect(apiError(body, ASKED).message).toContain("canary");
});

Deno.test("how long to wait comes from the header, or else from the answer", () => {
  const details = { retryAfterSeconds: 7 };
  expect(apiError(answer(429, { details }), ASKED).retryAfterMs).toBe(7000);
  expect(apiError({ ...answer(429, { details }), retryAfterMs: 3000 }, ASKED).retryAfterMs).toBe(3000);
});
