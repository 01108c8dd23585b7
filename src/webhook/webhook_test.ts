import { expect } from "expect";
import fc from "fast-check";
import { testCases } from "../../tests/golden/cases.ts";
import { ChanceryError } from "../base/mod.ts";
import { envoyRegistry } from "../envoy/mod.ts";
import {
  type AdmissionAnswer,
  answerOf,
  envoyConfigReviewer,
  NodeIds,
  type NodeIdScope,
  readReview,
  reviewBy,
} from "./mod.ts";

const registry = envoyRegistry();

/** What a case states of a request; the rest is as an API server sends it. */
interface Case {
  readonly operation?: string;
  readonly subResource?: string;
  readonly resource?: unknown;
  readonly object?: Record<string, unknown>;
  readonly oldObject?: Record<string, unknown>;
  /** EnvoyConfigs that are there already. */
  readonly others?: readonly Record<string, unknown>[];
  readonly nodeIdScope?: NodeIdScope;
  readonly dryRun?: boolean;
}

function ask(given: Case): { answer: AdmissionAnswer; reason: string } {
  const nodeIds = new NodeIds();
  for (const other of given.others ?? []) nodeIds.set(asStored(other));
  const reviewer = envoyConfigReviewer({ registry, nodeIds, nodeIdScope: given.nodeIdScope ?? "namespace" });
  const request = readReview(JSON.stringify(reviewOf(given)));
  const verdict = reviewBy(reviewer, request);
  return { answer: answerOf(request.uid, verdict), reason: verdict.reason };
}

function reviewOf({ operation, subResource, resource, object, oldObject, dryRun }: Case) {
  const kind = { group: "marin3r.3scale.net", version: "v1alpha1", kind: "EnvoyConfig" };
  return {
    kind: "AdmissionReview",
    apiVersion: "admission.k8s.io/v1",
    request: {
      uid: "4ea3b6a5-0b1c-4f0b-9d7e-1f0a7f1f5a11",
      kind,
      resource: resource ?? { group: kind.group, version: kind.version, resource: "envoyconfigs" },
      ...(subResource === undefined ? {} : { subResource }),
      name: "edge",
      namespace: "demo",
      operation: operation ?? (oldObject ? "UPDATE" : "CREATE"),
      userInfo: { username: "jane" },
      object: object ? asStored(object) : null,
      oldObject: oldObject ? asStored(oldObject) : null,
      dryRun: dryRun ?? false,
      options: { kind: "CreateOptions", apiVersion: "meta.k8s.io/v1" },
    },
  };
}

function asStored({ metadata, ...rest }: Record<string, unknown>): Record<string, unknown> {
  return {
    apiVersion: "marin3r.3scale.net/v1alpha1",
    kind: "EnvoyConfig",
    metadata: { name: "edge", namespace: "demo", ...metadata as object },
    ...rest,
  };
}

testCases(new URL("./testdata", import.meta.url), {
  name: "admission of an EnvoyConfig",
  run(input) {
    const { answer: { response: { allowed, status, warnings } }, reason } = ask(input);
    const { message, ...rest } = status ?? {};
    const told = message?.startsWith("{") ? { document: JSON.parse(message) } : message ? { message } : {};
    return { allowed, reason, ...(status ? { status: { ...rest, ...told } } : {}), ...(warnings ? { warnings } : {}) };
  },
});

Deno.test("the answer has the uid, version and kind that the API server waits for, and no status when it allows", () => {
  const object = { spec: { nodeID: "edge", resources: [] } };
  expect(ask({ object }).answer).toEqual({
    apiVersion: "admission.k8s.io/v1",
    kind: "AdmissionReview",
    response: { uid: "4ea3b6a5-0b1c-4f0b-9d7e-1f0a7f1f5a11", allowed: true },
  });
});

Deno.test("W31: an update that leaves the spec alone passes, whatever the spec holds", () => {
  const specs = [
    {},
    { nodeID: "" },
    { nodeID: "a", resources: [{ type: "cluster", value: { nme: 1 } }] },
    null,
    "text",
  ];
  for (const spec of specs) {
    const before = { spec, metadata: { labels: { a: "1" } } };
    expect(ask({ oldObject: before, object: { spec } })).toMatchObject({
      answer: { response: { allowed: true } },
      reason: "unchanged",
    });
  }
});

Deno.test("W31: the order of members and where numbers stand is no change of a spec, another value is", () => {
  const spec = (...clusters: unknown[]) => ({
    spec: { nodeID: "a", resources: clusters.map((value) => ({ type: "cluster", value })) },
  });
  const before = spec({ nme: "x", name: "y" });
  expect(ask({ oldObject: before, object: spec({ name: "y", nme: "x" }) }).reason).toBe("unchanged");
  expect(ask({ oldObject: before, object: spec({ name: "y", nme: "z" }) }).reason).toBe("invalid");
});

Deno.test("W24: a refusal is bounded, and says how much it leaves out", () => {
  const long = "x".repeat(2_000);
  const resources = Array.from({ length: 1_500 }, () => ({ type: "cluster", value: { name: "a", [long]: long } }));
  const { answer: { response } } = ask({ object: { spec: { nodeID: "edge", resources } } });
  const { errors } = JSON.parse(response.status?.message ?? "") as { errors: string[] };
  expect(errors.join("").length).toBeLessThan(17_000);
  expect(Math.max(...errors.map((error) => [...error].length))).toBeLessThanOrEqual(1_024);
  expect(errors.at(-1)).toMatch(/^and \d+ more; "chancery validate" tells them all$/);
  expect(errors[1]).toContain("has no field");
});

Deno.test("warnings stay within what an API server lets through, and keep both ends of a long path", () => {
  const cluster = (name: string) => ({ cluster: name });
  const routes = Array.from(
    { length: 60 },
    (_, i) => ({ match: { prefix: "/" }, route: cluster(`${"c".repeat(99)}${i}`) }),
  );
  const value = { name: "r", virtual_hosts: [{ name: "\u0007v", domains: ["*"], routes }] };
  const resources = [{ type: "route", value }];
  const { answer: { response } } = ask({ object: { spec: { nodeID: "edge", resources } } });
  const warnings = response.warnings ?? [];
  expect(response.allowed).toBe(true);
  expect(warnings.length).toBeGreaterThan(5);
  expect(Math.max(...warnings.map((warning) => [...warning].length))).toBeLessThanOrEqual(256);
  expect([...warnings.join("")].length).toBeLessThanOrEqual(3_584);
  expect(warnings.at(-1)).toMatch(/^and \d+ more; /);
  expect(warnings[0]).toMatch(/^spec\.resources\[0\].*…?.*route\.cluster: cluster "c+0" is not in this EnvoyConfig/);
  for (const warning of warnings) expect(warning).not.toMatch(/\p{Cc}/u);
});

Deno.test("W1: neither refusal nor warning shows a private key", () => {
  const canary = "canary-4711";
  const tls = {
    "@type": "type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext",
    common_tls_context: {
      tls_certificates: [{ private_key: { inline_string: canary, inline_bytes: canary, nothing: canary } }],
      tls_certificate_sds_secret_configs: [{ name: 5 }],
    },
  };
  const value = { name: "c", connect_timeout: "1s", transport_socket: { name: "tls", typed_config: tls } };
  const object = { spec: { nodeID: "edge", resources: [{ type: "cluster", value }] } };
  const { answer } = ask({ object });
  expect(answer.response.allowed).toBe(false);
  expect(JSON.stringify(answer)).not.toContain(canary);
  // In the place of the reference to a Secret.
  const injector = {
    "@type": "type.googleapis.com/envoy.extensions.http.injected_credentials.generic.v3.Generic",
    credential: canary,
  };
  const misplaced = { type: "extensionConfig", value: { name: "i", typed_config: injector } };
  const refused = ask({ object: { spec: { nodeID: "edge", resources: [misplaced] } } }).answer;
  expect(refused.response.status?.message).toContain("credential: expected an object");
  expect(JSON.stringify(refused)).not.toContain(canary);
});

Deno.test("readReview() says what is wrong with a body, and never what is in it", () => {
  const told = (body: unknown) => {
    try {
      readReview(typeof body === "string" ? body : JSON.stringify(body));
    } catch (thrown) {
      expect(thrown).toBeInstanceOf(ChanceryError);
      return (thrown as ChanceryError).message.replace("Cannot read the admission review: ", "");
    }
    return "fine";
  };
  const review = reviewOf({ object: { spec: {} } });
  expect(told(review)).toBe("fine");
  expect(told("canary{")).toBe("the body is not JSON");
  expect(told("")).toBe("the body is not JSON");
  expect(told("[]")).toBe("the body is no AdmissionReview");
  expect(told({ ...review, kind: "Review" })).toBe("the body is no AdmissionReview");
  expect(told({ ...review, apiVersion: "admission.k8s.io/v1beta1" })).toBe(
    'apiVersion "admission.k8s.io/v1beta1" is not spoken here, only admission.k8s.io/v1; list v1 in admissionReviewVersions',
  );
  expect(told({ ...review, request: null })).toBe("there is no request in it");
  expect(told({ ...review, request: { ...review.request, uid: "" } })).toBe("request.uid is missing");
  expect(told({ ...review, request: { ...review.request, operation: 5 } })).toBe("request.operation is missing");
  expect(told({ ...review, request: { ...review.request, resource: "pods" } })).toBe("request.resource is missing");
  expect(told("[".repeat(2_000_000))).toBe("the body has more than 1000 levels");
  expect(told(`{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}`)).toBe("the body has more than 1000 levels");
  expect(told(JSON.stringify({ ...review, note: '[\\"'.repeat(9_999) }))).toBe("fine");
  expect(told(`{"a": "${"\\".repeat(999_999)}`)).toBe("the body is not JSON");
});

Deno.test("no body crashes admission: each gets an answer or is refused as unreadable", () => {
  const anything = fc.jsonValue({ maxDepth: 4 });
  const item = fc.oneof(
    anything,
    fc.record({ type: fc.constantFrom("cluster", "listener", "secret"), value: anything }),
  );
  const spec = fc.oneof(anything, fc.record({ nodeID: anything, resources: fc.oneof(anything, fc.array(item)) }));
  const object = fc.oneof(anything, fc.record({ metadata: anything, spec }, { requiredKeys: [] }));
  const request = fc.record({
    uid: fc.oneof({ weight: 9, arbitrary: fc.uuid() }, anything),
    operation: fc.oneof({ weight: 9, arbitrary: fc.constantFrom("CREATE", "UPDATE", "DELETE", "CONNECT") }, anything),
    resource: fc.oneof(
      { weight: 9, arbitrary: fc.constant({ group: "marin3r.3scale.net", resource: "envoyconfigs" }) },
      anything,
    ),
    subResource: anything,
    namespace: anything,
    name: anything,
    object,
    oldObject: object,
  }, { requiredKeys: ["uid", "operation", "resource"] });
  const head = { kind: "AdmissionReview", apiVersion: "admission.k8s.io/v1" };
  const nodeIds = new NodeIds();
  nodeIds.set(asStored({ spec: { nodeID: "" } }));
  nodeIds.set(asStored({ spec: { nodeID: "a" } }));
  const reviewer = envoyConfigReviewer({ registry, nodeIds, nodeIdScope: "watched" });
  let answered = 0;
  const bodies = fc.oneof(
    { weight: 9, arbitrary: request.map((request) => JSON.stringify({ ...head, request })) },
    fc.json(),
    fc.string(),
  );
  fc.assert(
    fc.property(bodies, (body) => {
      let read;
      try {
        read = readReview(body);
      } catch (thrown) {
        expect(thrown).toMatchObject({ code: "invalid-input" });
        return;
      }
      answered++;
      expect(typeof answerOf(read.uid, reviewBy(reviewer, read)).response.allowed).toBe("boolean");
    }),
    { numRuns: 1_000 },
  );
  expect(answered).toBeGreaterThan(300);
});
