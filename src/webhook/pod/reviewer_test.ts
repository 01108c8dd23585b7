import { expect } from "expect";
import { answerOf, mutatingWebhookConfiguration, podReviewer, readReview, reviewBy } from "../mod.ts";
import { injectPod } from "../../inject/mod.ts";

const reviewer = podReviewer({
  inject: (pod, namespace) =>
    injectPod(pod, {
      image: "example.com/chancery:test",
      discovery: () =>
        namespace === "empty"
          ? "there is none"
          : { host: "ds.ns.svc", port: 18_000, bundle: undefined, clientSecret: () => "envoy-sidecar-client-cert" },
    }),
});

/** What the API server asks about a pod, and what it is told. */
function ask(annotations: Record<string, string>, { labels = { "marin3r.3scale.net/status": "enabled" }, ...more }: {
  labels?: Record<string, string> | null;
  namespace?: string;
  operation?: string;
  subResource?: string;
  object?: unknown;
} = {}) {
  const prefixed = Object.fromEntries(Object.entries(annotations).map(([k, v]) => [`marin3r.3scale.net/${k}`, v]));
  const request = readReview(JSON.stringify({
    kind: "AdmissionReview",
    apiVersion: "admission.k8s.io/v1",
    request: {
      uid: "u",
      operation: "CREATE",
      resource: { group: "", version: "v1", resource: "pods" },
      namespace: "ns",
      object: {
        metadata: { generateName: "shop-", labels, annotations: prefixed },
        spec: { containers: [{ name: "app" }] },
      },
      ...more,
    },
  }));
  const verdict = reviewBy(reviewer, request);
  return { reason: verdict.reason, ...answerOf(request.uid, verdict).response };
}

Deno.test("podReviewer() patches a pod that asks for a sidecar", () => {
  const { patch, ...rest } = ask({ "node-id": "shop", "clustr-id": "x" });
  expect(rest).toEqual({
    reason: "injected",
    uid: "u",
    allowed: true,
    warnings: [
      'marin3r.3scale.net/clustr-id: is no annotation of a sidecar and has no effect, did you mean "marin3r.3scale.net/cluster-id"?',
    ],
    patchType: "JSONPatch",
  });
  const operations = JSON.parse(new TextDecoder().decode(Uint8Array.fromBase64(patch!)));
  expect(operations.map(({ op, path }: { op: string; path: string }) => `${op} ${path}`)).toEqual([
    "add /spec/initContainers",
    "add /spec/containers/-",
    "add /spec/volumes",
  ]);
});

Deno.test("C15: podReviewer() refuses a pod in one sentence with all that is wrong", () => {
  expect(ask({ "node-id": "", "admin.port": "x", ports: "http:80" })).toEqual({
    reason: "invalid",
    uid: "u",
    allowed: false,
    status: {
      code: 403,
      reason: "Forbidden",
      message: "Cannot give the pod its sidecar: " +
        "marin3r.3scale.net/node-id: must not be empty: it names the EnvoyConfig that the Envoy gets; " +
        'marin3r.3scale.net/ports: "http:80" is not NAME:PORT or NAME:PORT:PROTOCOL, such as "envoy-https:8443:TCP": ' +
        "a port is 1024 to 65535; " +
        'marin3r.3scale.net/admin.port: "x" is not a port from 1024 to 65535',
    },
  });
  expect(ask({ "node-id": "shop" }, { namespace: "empty" })).toMatchObject({
    reason: "no-discovery-service",
    status: { message: "Cannot give the pod its sidecar: marin3r.3scale.net/discovery-service.name: there is none" },
  });
});

Deno.test("podReviewer() lets pass what asks for nothing", () => {
  for (const labels of [{}, { "marin3r.3scale.net/status": "disabled" }, null]) {
    expect(ask({}, { labels })).toEqual({ reason: "not-asked", uid: "u", allowed: true });
  }
  for (const object of [{}, { metadata: null }, { metadata: { labels: [] } }, { metadata: 1 }]) {
    expect(ask({}, { object })).toMatchObject({ reason: "not-asked", allowed: true });
  }
  expect(ask({}, { subResource: "status" })).toMatchObject({ reason: "subresource", allowed: true });
  expect(ask({}, { operation: "UPDATE" })).toMatchObject({ reason: "wrong-request", allowed: false });
  expect(ask({}, { object: null })).toMatchObject({ reason: "wrong-request", allowed: false });
});

Deno.test("A8: the API server asks neither about pods of the system nor about those of the webhook's namespace", () => {
  const client = { service: { name: "chancery-webhook", namespace: "chancery-system" } };
  const [entry] = mutatingWebhookConfiguration([reviewer], { client }).webhooks as Record<string, unknown>[];
  expect(entry).toMatchObject({
    name: "sidecar-injector.marin3r.3scale.net",
    clientConfig: { service: { path: "/pod-v1-mutate" } },
    objectSelector: { matchLabels: { "marin3r.3scale.net/status": "enabled" } },
    namespaceSelector: {
      matchExpressions: [{
        key: "kubernetes.io/metadata.name",
        operator: "NotIn",
        values: ["kube-system", "kube-public", "kube-node-lease", "chancery-system"],
      }],
    },
    failurePolicy: "Fail",
    reinvocationPolicy: "Never",
  });
  const [narrow] = mutatingWebhookConfiguration([reviewer], { client, namespaces: ["shop"] }).webhooks as object[];
  const name = "kubernetes.io/metadata.name";
  expect(narrow).toMatchObject({
    namespaceSelector: {
      matchExpressions: [
        { key: name, operator: "In", values: ["shop"] },
        { key: name, operator: "NotIn", values: ["kube-system", "kube-public", "kube-node-lease"] },
      ],
    },
  });
});
