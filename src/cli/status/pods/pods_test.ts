import { expect } from "expect";
import { testCases } from "../../../../tests/golden/cases.ts";
import { type DiscoveryService, OPERATOR_API_VERSION } from "../../../api/operator/mod.ts";
import type { PodsDocument, ProgramDocument } from "../../../app/pods/mod.ts";
import { ChanceryError } from "../../../base/mod.ts";
import { discoveryIn, injectPod } from "../../../inject/mod.ts";
import type { LiveObject, Pod } from "../../../pods/mod.ts";
import type { CliContext } from "../../command.ts";
import { fakeTerminal, runCaptured } from "../../fake_terminal.ts";
import { type PodsValues, runPods } from "./run.ts";

/** What a webhook was or is started with, and which DiscoveryServices there were. */
interface Moment {
  readonly image?: string;
  readonly envoyImage?: string;
  readonly services?: readonly { readonly name?: string; readonly spec?: object; readonly status?: object }[];
}

/** A pod with a sidecar as a case writes it down: it is injected as the webhook did at that moment. */
interface StoredPod {
  readonly name: string;
  readonly namespace?: string;
  readonly then?: Moment;
  /** Without their prefix. */
  readonly annotations?: Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<string, string>>;
  readonly spec?: object;
  /** `injected`: its template had the sidecar, which `chancery inject` put there; `none`: nobody did. */
  readonly sidecar?: "webhook" | "injected" | "none";
  readonly owner?: { readonly kind: string; readonly name: string };
  readonly ending?: boolean;
}

/** What a case says. */
interface Case {
  readonly words?: readonly string[];
  readonly values?: Partial<PodsValues>;
  readonly outputs?: readonly PodsValues["output"][];
  readonly now?: Moment & { readonly args?: readonly string[]; readonly namespaces?: readonly string[] };
  /** What is installed is nothing. */
  readonly bare?: boolean;
  readonly pods?: readonly StoredPod[];
  /** Pods, and what they belong to, word by word. */
  readonly objects?: readonly LiveObject[];
}

const NOW = "2026-01-31T12:00:00Z";
const PREFIX = "marin3r.3scale.net/";
const VALUES: PodsValues = {
  ...{ namespace: undefined, allNamespaces: false, selector: undefined, image: undefined, envoyImage: undefined },
  ...{ output: "text", watch: false, exitCode: true },
};
const THEN: Required<Moment> = { image: "chancery:1", envoyImage: "envoy:1", services: [{}] };

testCases(new URL("./testdata", import.meta.url), {
  name: "chancery status pods",
  async run(input) {
    const { words = [], values = {}, outputs = ["text"], ...rest } = input as unknown as Case; // cases are ours
    const document = documentOf(rest);
    const said: unknown[] = [];
    for (const output of outputs) {
      const { context, told } = fakeTerminal();
      const source = {
        ...{ server: "https://cluster", namespace: "shop" },
        look: ({ programs }: { programs: boolean }) =>
          Promise.resolve(programs ? document : { ...document, programs: undefined }),
        follow: () => {
          throw new Error("nobody asks for it");
        },
      };
      const options = { source, flags: " --context prod", context, words };
      const status = await runPods({ ...VALUES, ...values, output }, options).catch((thrown) => {
        if (!(thrown instanceof ChanceryError)) throw thrown;
        told.err += `${thrown.message}\n`;
        return 2;
      });
      const out = output === "json" ? JSON.parse(told.out) : told.out;
      said.push({ output, status, out, ...(told.err && { err: told.err }) });
    }
    return said;
  },
});

function documentOf({ now = {}, bare = false, pods = [], objects = [] }: Case): PodsDocument {
  const { image = "chancery:1", envoyImage = "envoy:1", services = [{}], args = [], namespaces } = now;
  const program = (role: string): ProgramDocument => ({
    deployment: `marin3r-system/chancery-${role}`,
    args: [role, ...args],
    env: { RELATED_IMAGE_CHANCERY: image, RELATED_IMAGE_ENVOY: envoyImage },
  });
  const made = pods.map(madeOf);
  const selector = namespaces && {
    matchExpressions: [{ key: "kubernetes.io/metadata.name", operator: "In", values: [...namespaces] }],
  };
  return {
    now: NOW,
    pods: [...made.map(({ pod }) => pod), ...objects.filter(({ kind }) => kind === "Pod") as Pod[]], // by their kind
    owners: [...made.flatMap(({ owners }) => owners), ...objects.filter(({ kind }) => kind !== "Pod")],
    services: servicesOf(services),
    envoyDeployments: [],
    programs: bare ? { injectors: [], operators: [] } : {
      injectors: [{ configuration: "injector", namespaces: selector, program: program("webhook") }],
      operators: [program("operator")],
    },
  };
}

function servicesOf(services: Required<Moment>["services"]): DiscoveryService[] {
  return services.map(({ name = "ds", ...rest }) => ({
    ...{ apiVersion: OPERATOR_API_VERSION, kind: "DiscoveryService", metadata: { name, namespace: "shop" } },
    status: { deploymentName: `marin3r-${name}` }, // and nobody has said yet whether it can be verified
    ...rest,
  } as DiscoveryService)); // as cases write them
}

function madeOf(
  { name, namespace = "shop", sidecar = "webhook", ...given }: StoredPod,
): { pod: Pod; owners: LiveObject[] } {
  const { image, envoyImage, services } = { ...THEN, ...given.then };
  const annotations = { "node-id": "web", ...given.annotations };
  const metadata = {
    labels: { app: "web", [`${PREFIX}status`]: "enabled", ...given.labels },
    annotations: Object.fromEntries(Object.entries(annotations).map(([key, value]) => [`${PREFIX}${key}`, value])),
  };
  const plain = { metadata, spec: { containers: [{ name: "app", image: "app:1" }], ...given.spec } };
  const injected = sidecar === "none" ? plain : withSidecar(plain, { image, envoyImage, services, sidecar });
  const { owners, reference } = ownersOf(given.owner, {
    namespace,
    template: sidecar === "injected" ? injected : plain,
  });
  const pod = {
    ...{ apiVersion: "v1", kind: "Pod" },
    metadata: {
      ...{ ...injected.metadata, name, namespace, uid: name, creationTimestamp: "2026-01-29T12:00:00Z" },
      ...(reference && { ownerReferences: [reference] }),
      ...(given.ending && { deletionTimestamp: NOW }),
    },
    spec: asKept(injected.spec),
    status: { phase: "Running" },
  };
  return { pod: pod as unknown as Pod, owners };
}

interface Plain {
  readonly metadata: object;
  readonly spec: Readonly<Record<string, unknown>>;
}

function withSidecar(pod: Plain, { sidecar, services, ...images }: Required<Moment> & { sidecar: string }): Plain {
  const there = servicesOf(services);
  const injection = injectPod(pod, {
    ...images,
    discovery: (name) => discoveryIn(there, name),
    ...(sidecar === "webhook" && { drainToken: "secret-token" }),
  });
  if (injection.kind !== "injected") throw new Error(`Cannot inject: ${JSON.stringify(injection.findings)}`);
  return injection.pod as unknown as Plain; // it was one
}

/** Every Deployment has one ReplicaSet. */
function ownersOf(
  owner: StoredPod["owner"],
  { namespace, template }: { namespace: string; template: Plain },
): { owners: LiveObject[]; reference?: object } {
  if (!owner) return { owners: [] };
  const { kind, name } = owner;
  const apiVersion = { Job: "batch/v1", Rollout: "argoproj.io/v1alpha1" }[kind] ?? "apps/v1";
  const reference = { apiVersion, kind, name, uid: name, controller: true };
  if (!["Deployment", "Rollout"].includes(kind)) {
    return { owners: [{ apiVersion, kind, metadata: { name, namespace }, spec: { template } }], reference };
  }
  const set = { apiVersion: "apps/v1", kind: "ReplicaSet", name: `${name}-5d9c` };
  const metadata = { name: set.name, namespace, ownerReferences: [reference] };
  return {
    owners: [{ ...set, metadata, spec: { template } }],
    reference: { ...set, uid: set.name, controller: true },
  };
}

/** As the API server keeps a pod: with defaults, without zeros, and with what it adds to containers. */
function asKept(spec: Plain["spec"]): object {
  const text = JSON.stringify(spec, (key, value) => (key === "initialDelaySeconds" && value === 0 ? undefined : value));
  const kept = JSON.parse(text) as Record<
    "containers" | "initContainers" | "volumes",
    Record<string, unknown>[] | undefined
  >; // a pod's
  const token = {
    name: "kube-api-access-x",
    mountPath: "/var/run/secrets/kubernetes.io/serviceaccount",
    readOnly: true,
  };
  const more = (container: Record<string, unknown>) => ({
    ...{
      terminationMessagePath: "/dev/termination-log",
      terminationMessagePolicy: "File",
      resources: { limits: { cpu: 1 } },
    },
    ...container,
    volumeMounts: [...(container.volumeMounts as unknown[] | undefined) ?? [], token],
  });
  return {
    terminationGracePeriodSeconds: 30,
    ...kept,
    containers: kept.containers?.map(more),
    ...(kept.initContainers && { initContainers: kept.initContainers.map(more) }),
    volumes: [...kept.volumes ?? [], { name: token.name, projected: { sources: [{ serviceAccountToken: {} }] } }],
    schedulerName: "default-scheduler",
  };
}

Deno.test("O6: chancery status pods -w prints what changes, until nobody reads any more", async () => {
  const told: string[] = [];
  const context: CliContext = {
    program: "chancery",
    env: () => undefined,
    out: (text) => (told.push(text), told.length < 3),
    err: (text) => void told.push(text),
    ...{ terminal: { out: false, err: false }, color: { out: false, err: false } },
  };
  const pods = [{ name: "a" }, { name: "b" }];
  const looks = [
    documentOf({ pods }),
    documentOf({ pods }),
    documentOf({ now: { image: "chancery:2" }, pods: [{ name: "a" }] }),
  ];
  const source = {
    ...{ server: "https://cluster", namespace: "shop", look: () => Promise.reject(new Error("nobody asks for it")) },
    async *follow() {
      for (;;) yield await Promise.resolve(looks.shift() ?? documentOf({ pods }));
    },
  };
  const values = { ...VALUES, watch: true, output: "wide" } as const;
  await runPods(values, { source, flags: "", context, words: [] });
  expect(told.map((text) => text.split("\n").filter((line) => !/^ /.test(line)))).toEqual([
    [
      "NAME     ROLE      STATE     OLD   OWNER   AGE   NODE ID   ENVOY     CHANCERY",
      "shop/a   sidecar   Current   -     -       2d    web       envoy:1   chancery:1",
      "shop/b   sidecar   Current   -     -       2d    web       envoy:1   chancery:1",
      "",
    ],
    ["shop/a   sidecar   Old     image   -       2d    web       envoy:1   chancery:1", ""],
    [
      "shop/a   sidecar   Current   -     -       2d    web       envoy:1   chancery:1",
      "shop/b   sidecar   Current   -     -       2d    web       envoy:1   chancery:1",
      "",
    ],
  ]);
});

Deno.test("chancery status keeps apart what is for pods and what is not", async () => {
  const refused = async (...words: string[]) => {
    const { status, out, err } = await runCaptured(["status", ...words]);
    expect([status, out]).toEqual([2, ""]);
    return err.split("\n")[0];
  };
  expect(await refused("--image", "x")).toBe(
    "error: Cannot use --image or --envoy-image: they are for chancery status pods alone",
  );
  expect(await refused("pods", "--server", "127.0.0.1:1")).toBe(
    "error: Cannot ask a standalone for pods: --server goes without pods",
  );
});
