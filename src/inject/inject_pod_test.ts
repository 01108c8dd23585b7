import { expect } from "expect";
import fc from "fast-check";
import { applyPatch } from "rfc6902";
import { testCases } from "../../tests/golden/cases.ts";
import { type DiscoveryService, OPERATOR_API_VERSION } from "../api/operator/mod.ts";
import { formatFinding } from "../base/mod.ts";
import { ANNOTATION_NAMES, PREFIX } from "./annotations/names.ts";
import { discoveryIn, type Injection, injectPod, uninjectPod } from "./mod.ts";

/** A case, with as little said as needed. */
interface Case {
  /** Annotations without their prefix. */
  readonly annotations?: Readonly<Record<string, unknown>>;
  readonly metadata?: object;
  readonly spec?: object;
  /** Several sets of annotations, of which only the findings are shown. */
  readonly tries?: readonly Readonly<Record<string, unknown>>[];
  readonly services?: readonly { readonly metadata?: object; readonly spec?: object; readonly status?: object }[];
  readonly noNativeSidecars?: string;
  readonly drainToken?: string;
  /** Whether the pod is shown and not what is added. */
  readonly showPod?: boolean;
}

const APP = { name: "app", image: "example.com/app" };

function podOf({ annotations = {}, metadata, spec }: Case): Record<string, unknown> {
  const prefixed = Object.entries(annotations).map(([name, value]) => [`${PREFIX}${name}`, value]);
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "shop", ...metadata, annotations: Object.fromEntries(prefixed) },
    spec: { containers: [APP], ...spec },
  };
}

function inject(pod: unknown, { services = [{}], noNativeSidecars, drainToken }: Case = {}): Injection {
  const there = services.map((one): DiscoveryService => ({
    apiVersion: OPERATOR_API_VERSION,
    kind: "DiscoveryService",
    status: { deploymentName: "marin3r-ds" }, // of a server that nobody has said to be verifiable
    ...one,
    metadata: { name: "ds", namespace: "ns", ...one.metadata },
  }));
  return injectPod(pod, {
    image: "example.com/chancery:test",
    discovery: (name) => discoveryIn(there, name),
    ...(drainToken === undefined ? {} : { drainToken }),
    ...(noNativeSidecars === undefined ? {} : { noNativeSidecars }),
  });
}

testCases(new URL("./testdata", import.meta.url), {
  name: "injectPod()",
  run(input) {
    const given = input as Case; // our own files
    if (given.tries) {
      return given.tries.map((annotations) => ({
        annotations,
        told: inject(podOf({ annotations: { "node-id": "shop", ...annotations } })).findings.map(formatFinding),
      }));
    }
    const pod = podOf(given);
    const before = structuredClone(pod);
    const { findings, ...result } = inject(pod, given);
    expect(pod).toEqual(before);
    const told = findings.length > 0 ? { told: findings.map(formatFinding) } : {};
    if (result.kind !== "injected") return { kind: result.kind, ...told };
    return { ...told, ...(given.showPod ? { pod: result.pod } : { patch: result.patch }) };
  },
});

Deno.test("S1: discoveryIn() has a server verified that is just being made, and none that cannot be verified", () => {
  const told = (reason: string, status = "False") => ({
    conditions: [{ type: "ServerVerifiable", status, reason, message: "", lastTransitionTime: "2026-01-01T00:00:00Z" }],
  });
  const verified = (status?: object) => {
    const service = {
      ...{ apiVersion: OPERATOR_API_VERSION, kind: "DiscoveryService", metadata: { name: "ds", namespace: "ns" } },
      ...(status && { status }),
    };
    return (discoveryIn([service], undefined) as { bundle?: string }).bundle !== undefined;
  };
  const made = { deploymentName: "marin3r-ds" };
  expect([undefined, {}, told("CertificateNotReady"), told("BundleMissing")].map(verified)).toEqual(
    Array(4).fill(true),
  );
  expect(verified({ ...made, ...told("NamesAndBundleInPlace", "True") })).toBe(true);
  expect([made, { ...made, ...told("NamesMissing") }].map(verified)).toEqual([false, false]);
});

const name = fc.constantFrom(
  "app",
  "init",
  "envoy-sidecar",
  "envoy-init-mgr",
  "envoy-shtdn-mgr",
  "envoy-sidecar-tls",
  "x",
);
const security = fc.record({
  allowPrivilegeEscalation: fc.boolean(),
  runAsNonRoot: fc.boolean(),
  capabilities: fc.constant({ drop: ["ALL"] }),
  seccompProfile: fc.constant({ type: "RuntimeDefault" }),
}, { requiredKeys: [] });
const container = fc.record({
  name,
  image: fc.string(),
  restartPolicy: fc.constantFrom("Always", "Never"),
  securityContext: security,
  lifecycle: fc.record({ preStop: fc.constant({ sleep: { seconds: 1 } }), postStart: fc.object() }, {
    requiredKeys: [],
  }),
  later: fc.object(),
}, { requiredKeys: ["name"] });
/** Annotations that are what they should be. */
const good = fc.record({
  "cluster-id": fc.string(),
  ports: fc.constant("a:8443, b:9443:UDP"),
  "host-port-mappings": fc.constant("a:18443"),
  "envoy-extra-args": fc.string(),
  "container-name": fc.constantFrom("proxy", "envoy-sidecar"),
  "resources.limits.cpu": fc.constantFrom("1", "100m"),
  "shutdown-manager.enabled": fc.constantFrom("true", "false"),
  "shutdown-manager.drain-time": fc.nat(1_000).map(String),
  "sidecar-mode": fc.constantFrom("native", "container"),
}, { requiredKeys: [] }).map((some) =>
  Object.fromEntries(Object.entries(some).map(([short, value]) => [`${PREFIX}${short}`, value]))
);
const wild = fc.dictionary(
  fc.constantFrom(...ANNOTATION_NAMES.map((short) => `${PREFIX}${short}`), "other", `${PREFIX}unknown`),
  fc.oneof(fc.constantFrom("true", "native", "app", "8443", "a:8443", "100m", "v3", " ", "ds"), fc.string()),
);
const likely = fc.record({
  metadata: fc.record({
    annotations: fc.oneof({ weight: 4, arbitrary: good }, wild).map((some) => ({
      ...some,
      [`${PREFIX}node-id`]: "shop",
    })),
    later: fc.object(),
  }),
  spec: fc.record({
    containers: fc.array(container, { maxLength: 4 }),
    initContainers: fc.array(container, { maxLength: 3 }),
    volumes: fc.array(fc.record({ name, emptyDir: fc.object() }), { maxLength: 3 }),
    terminationGracePeriodSeconds: fc.integer({ min: 0, max: 1000 }),
    securityContext: security,
    later: fc.object(),
  }, { requiredKeys: ["containers"] }),
  status: fc.object(),
});
const anything = fc.oneof(
  fc.json().map((text) => JSON.parse(text)),
  fc.record({
    metadata: fc.object(),
    spec: fc.record({ containers: fc.array(fc.anything()), initContainers: fc.anything() }),
  }),
);

Deno.test("C10, C20: injectPod() keeps all that any pod has, patches to the same pod, and does nothing the second time", () => {
  let injected = 0;
  fc.assert(
    fc.property(likely, (pod) => {
      const before = structuredClone(pod);
      const result = inject(pod);
      expect(pod).toEqual(before);
      if (result.kind !== "injected") return;
      injected++;
      const after = result.pod as typeof likely extends fc.Arbitrary<infer T> ? T : never; // with additions
      const patched = structuredClone(pod);
      expect(applyPatch(patched, [...result.patch])).toEqual(result.patch.map(() => null));
      expect(patched).toEqual(after);
      expectKept(pod, after);
      expect(after.spec.terminationGracePeriodSeconds ?? 0).toBeGreaterThanOrEqual(
        pod.spec.terminationGracePeriodSeconds ?? 0,
      );
      expect(inject(after).kind).toBe("present");
      expectUndone(pod, after);
    }),
    { numRuns: 300 },
  );
  expect(injected).toBeGreaterThan(30); // of those that are not refused for a name that is taken or a value that is bad
});

Deno.test("injectPod() answers anything that can be in JSON, and never throws", () => {
  fc.assert(
    fc.property(anything, (pod) => {
      expect(["injected", "present", "refused"]).toContain(inject(pod).kind);
      expect(["removed", "absent"]).toContain(uninjectPod(pod).kind);
    }),
    { numRuns: 500 },
  );
  for (const pod of [null, 1, "x", [], {}, { spec: null }, { spec: { containers: {} } }]) {
    expect(inject(pod).kind).toBe("refused");
  }
});

/** What is left when the sidecar is taken out again is the pod, but for a grace period that nobody remembers and lists without items. */
function expectUndone(before: { readonly spec: object }, injected: unknown): void {
  const undone = uninjectPod(injected);
  expect(undone.kind).toBe("removed");
  if (undone.kind !== "removed") return;
  const left = structuredClone(injected) as { spec: object };
  for (const path of undone.remove) {
    const inside = path.slice(0, -1).reduce<unknown>((value, key) => (value as Record<string, unknown>)[key], left);
    if (Array.isArray(inside)) inside.splice(Number(path.at(-1)), 1);
    else expect(delete (inside as Record<string, unknown>)[String(path.at(-1))]).toBe(true);
  }
  const plain = (spec: object) =>
    JSON.parse(
      JSON.stringify(spec, (key, value) =>
        key === "terminationGracePeriodSeconds" || (Array.isArray(value) && value.length === 0) ? undefined : value),
    );
  expect(plain(left.spec)).toEqual(plain(before.spec));
}

/** Every field is there with its value; lists may have grown at their end, and a lifecycle may have got a preStop. */
function expectKept(before: unknown, after: unknown, path = ""): void {
  if (path.endsWith(".terminationGracePeriodSeconds")) return;
  if (Array.isArray(before)) {
    const grown = after as unknown[]; // a list stays one, or the next line fails
    for (const [index, one] of before.entries()) expectKept(one, grown[index], `${path}[]`);
    if (!/^\.spec\.(containers|initContainers|volumes)$/.test(path)) expect(grown.length).toBe(before.length);
  } else if (typeof before === "object" && before !== null) {
    for (const [key, value] of Object.entries(before)) {
      expectKept(value, (after as Record<string, unknown>)[key], `${path}.${key}`); // fails below if it is none
    }
  } else expect([path, after]).toEqual([path, before]);
}
