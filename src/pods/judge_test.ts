import { expect } from "expect";
import { type DiscoveryService, OPERATOR_API_VERSION } from "../api/operator/mod.ts";
import { discoveryIn, injectPod } from "../inject/mod.ts";
import { judgePod, Owners, type Pod } from "./mod.ts";

const IMAGES = { image: "chancery:1", envoyImage: "envoy:1" };
const SERVICE: DiscoveryService = {
  ...{ apiVersion: OPERATOR_API_VERSION, kind: "DiscoveryService" },
  metadata: { name: "ds", namespace: "shop" },
  spec: {},
  status: { deploymentName: "marin3r-ds" }, // and nobody has said yet whether it can be verified
};

/** A pod that was given its sidecar, and may be edited. */
function podWith(annotations: Readonly<Record<string, string>> = {}): Editable {
  const all = { "node-id": "web", "shutdown-manager.enabled": "true", ...annotations };
  const pod = {
    ...{ apiVersion: "v1", kind: "Pod" },
    metadata: {
      ...{ name: "web", namespace: "shop", labels: { "marin3r.3scale.net/status": "enabled" } },
      annotations: Object.fromEntries(
        Object.entries(all).map(([name, value]) => [`marin3r.3scale.net/${name}`, value]),
      ),
    },
    spec: { containers: [{ name: "app", image: "app:1" }] },
  };
  const injection = injectPod(pod, {
    ...IMAGES,
    discovery: (name) => discoveryIn([SERVICE], name),
    drainToken: "canary-token",
  });
  if (injection.kind !== "injected") throw new Error("Cannot inject");
  return structuredClone(injection.pod) as unknown as Editable;
}

// deno-lint-ignore no-explicit-any -- tests reach into it wherever they like
type Editable = any;

function judge(pod: Editable, { images = IMAGES as typeof IMAGES | string, services = [SERVICE] } = {}) {
  return judgePod(pod as Pod, {
    owners: new Owners([]),
    servicesIn: () => services,
    envoyDeployment: () => undefined,
    injector: () => images,
    operator: () => undefined,
  });
}

interface Row {
  readonly name: string;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly edit?: (spec: Editable, pod: Editable) => void;
  /** `part: about: is -> would`; none is a pod that is current. */
  readonly told?: readonly string[];
}

const ROWS: readonly Row[] = [
  { name: "nothing has changed" },
  { name: "native, and nothing has changed", annotations: { "sidecar-mode": "native" } },
  {
    name: "what platforms add is not ours",
    edit: (spec) => {
      spec.nodeName = "node-1";
      spec.containers.push({ name: "mesh", image: "mesh:1" });
      for (const one of [...spec.containers, ...spec.initContainers]) {
        one.resources = { limits: { cpu: "1" } };
        one.securityContext = { runAsUser: 1000 };
        one.env = [...one.env ?? [], { name: "MESH", value: "1" }];
        one.volumeMounts = [{ name: "token", mountPath: "/token" }, ...one.volumeMounts ?? []];
      }
      spec.volumes.push({ name: "token", emptyDir: {} });
    },
  },
  {
    name: "the API server leaves out zeros and writes defaults",
    edit: (spec) => {
      delete spec.containers[1].livenessProbe.initialDelaySeconds;
      spec.containers[1].livenessProbe.httpGet.host = "";
      spec.volumes[1].emptyDir = {};
    },
  },
  {
    name: "an older Envoy",
    edit: (spec) => spec.containers[1].image = "envoy:0",
    told: ["image: image of envoy-sidecar: envoy:0 -> envoy:1"],
  },
  {
    name: "the bootstrap was written for another place",
    edit: (spec) => spec.initContainers[0].args.splice(-1, 1, "started"),
    told: ["bootstrap: --readiness of envoy-init-mgr: started -> configured"],
  },
  {
    name: "a flag is written in one word",
    edit: (spec) => {
      const { args } = spec.initContainers[0];
      const at = args.indexOf("--xdss-port");
      args.splice(at, 2, `--xdss-port=${args[at + 1]}`);
    },
  },
  {
    name: "a variable is missing",
    edit: (spec) => spec.initContainers[0].env.pop(),
    told: ["bootstrap: env of envoy-init-mgr: null -> null"],
  },
  {
    name: "Envoy drains at once",
    edit: (spec) => spec.containers[1].args.splice(spec.containers[1].args.indexOf("gradual"), 1, "immediate"),
    told: ["injection: --drain-strategy of envoy-sidecar: immediate -> gradual"],
  },
  {
    name: "a probe that was not there before",
    edit: (spec) => delete spec.containers[1].startupProbe,
    told: ["injection: startupProbe of envoy-sidecar: null -> null"],
  },
  {
    name: "a probe that is not there any more",
    edit: (spec) => spec.containers[2].startupProbe = { httpGet: { path: "/", port: 1 } },
    told: ["injection: startupProbe of envoy-shtdn-mgr: null -> null"],
  },
  {
    name: "S5: anybody may drain it, and no token is shown",
    edit: (spec) => {
      spec.containers[2].args.splice(-2);
      delete spec.containers[2].lifecycle.preStop.httpGet.httpHeaders;
    },
    told: [
      "injection: --drain-token of envoy-shtdn-mgr: null -> (hidden)",
      "injection: lifecycle of envoy-shtdn-mgr: null -> null",
    ],
  },
  {
    name: "there is no shutdown manager",
    edit: (spec) => {
      spec.containers.splice(2);
      spec.containers[1].args.splice(-4);
      delete spec.containers[1].lifecycle;
      delete spec.terminationGracePeriodSeconds;
    },
    told: [
      "injection: --drain-time-s of envoy-sidecar: null -> 300",
      "injection: --drain-strategy of envoy-sidecar: null -> gradual",
      "injection: lifecycle of envoy-sidecar: null -> null",
      "injection: container envoy-shtdn-mgr: null -> there",
      "injection: grace period: 30s -> 330s",
    ],
  },
  {
    name: "there is a shutdown manager that nobody asks for",
    edit: (_, { metadata }) => metadata.annotations["marin3r.3scale.net/shutdown-manager.enabled"] = "false",
    told: [
      "injection: --drain-time-s of envoy-sidecar: 300 -> null",
      "injection: --drain-strategy of envoy-sidecar: gradual -> null",
      "injection: lifecycle of envoy-sidecar: null -> null",
      "injection: container envoy-shtdn-mgr: there -> null",
      "injection: grace period: 330s -> 30s",
    ],
  },
  {
    name: "a container of the user does not wait for the drain",
    annotations: { "shutdown-manager.extra-lifecycle-hooks": "app" },
    edit: (spec) => delete spec.containers[0].lifecycle,
    told: ["injection: preStop of app: null -> null"],
  },
  {
    name: "another certificate is shown",
    edit: (spec) => spec.volumes[0].secret.secretName = "mine",
    told: ["injection: volume envoy-sidecar-tls: Secret mine -> Secret envoy-sidecar-client-cert"],
  },
  {
    name: "Envoy starts beside the application",
    annotations: { "sidecar-mode": "native" },
    edit: (_, { metadata }) => delete metadata.annotations["marin3r.3scale.net/sidecar-mode"],
    told: [
      "injection: place of envoy-sidecar: initContainers, always restarted -> containers",
      "injection: startupProbe of envoy-sidecar: null -> null",
      "injection: place of envoy-shtdn-mgr: initContainers, always restarted -> containers",
    ],
  },
];

for (const { name, annotations, edit, told = [] } of ROWS) {
  Deno.test(`O6: judgePod(): ${name}`, () => {
    const pod = podWith(annotations);
    edit?.(pod.spec, pod);
    const before = structuredClone(pod);
    const verdict = judge(pod)!;
    expect(pod).toEqual(before);
    expect(verdict.differences.map(({ part, about, is, would }) => `${part}: ${about}: ${is} -> ${would}`)).toEqual(
      told,
    );
    expect(verdict.state).toBe(told.length === 0 ? "Current" : "Old");
    expect(JSON.stringify(verdict)).not.toContain("canary-token");
  });
}

Deno.test("O6: judgePod() has nothing to say of pods of others, and of those that have run to their end", () => {
  const pod = podWith();
  expect(judge({ ...pod, status: { phase: "Succeeded" } })).toBeUndefined();
  expect(judge({ ...pod, metadata: { ...pod.metadata, labels: {} } })).toBeUndefined();
  expect(judge({ ...pod, metadata: { ...pod.metadata, deletionTimestamp: "now" } })).toMatchObject({ state: "Ending" });
});

Deno.test("O6: judgePod() says why nobody knows, and why a restart would cost the pod", () => {
  expect(judge(podWith(), { images: "nobody injects" })).toMatchObject({ state: "Unknown", unknown: "nobody injects" });
  expect(judge(podWith(), { services: [] })).toMatchObject({
    ...{ state: "Old", differences: [] },
    refusal: [{ message: expect.stringContaining("there is no DiscoveryService in the namespace") }],
  });
});
