import { expect } from "expect";
import { ownedLabels } from "../api/operator/mod.ts";
import { allObjects, installedObjects, installOptions, type KubeObject, l7mpObjects } from "./mod.ts";

type Labels = Readonly<Record<string, string>>;

/** One end of a connection: a pod, or somebody outside of the cluster's pods, such as an API server, a node or the world. */
interface End {
  readonly name: string;
  readonly pod?: { readonly namespace: string; readonly labels: Labels };
}

interface Rule {
  readonly from?: readonly PolicyPeer[];
  readonly to?: readonly PolicyPeer[];
  readonly ports?: readonly { readonly protocol: string; readonly port: number }[];
}

interface PolicyPeer {
  readonly namespaceSelector?: Record<string, never>;
}

interface Policy {
  readonly namespace: string;
  readonly podSelector: { readonly matchLabels: Labels };
  readonly policyTypes: readonly string[];
  readonly ingress: readonly Rule[];
  readonly egress: readonly Rule[];
}

interface Connection {
  readonly from: End;
  readonly to: End;
  readonly port: number;
  readonly protocol?: "TCP" | "UDP";
}

/** The network policies among objects; whatever they say that the test does not understand is refused by `understood`. */
function policiesOf(objects: readonly KubeObject[]): Policy[] {
  return objects.filter(({ kind }) => kind === "NetworkPolicy").map(({ metadata, spec }) => {
    const policy = { namespace: metadata.namespace!, ...spec as object } as Policy; // as `understood` makes sure
    understood(policy);
    return policy;
  });
}

function understood({ namespace: _, podSelector, policyTypes, ingress, egress, ...rest }: Policy): void {
  expect([rest, Object.keys(podSelector), policyTypes]).toEqual([{}, ["matchLabels"], ["Ingress", "Egress"]]);
  for (const { from, to, ports, ...more } of [...ingress, ...egress]) {
    expect(more).toEqual({});
    for (const peer of [...from ?? [], ...to ?? []]) expect(peer).toEqual({ namespaceSelector: {} });
    for (const port of ports ?? []) expect(port).toEqual({ protocol: expect.any(String), port: expect.any(Number) });
  }
}

/** Whether network policies let somebody connect: those of the pod that begins, and those of the pod that is reached. */
function allowed(policies: readonly Policy[], connection: Connection): boolean {
  const { from, to, port, protocol = "TCP" } = connection;
  const passes = (rules: readonly Rule[], peer: End) =>
    rules.some(({ from, to, ports }) =>
      ((from ?? to)?.some(() => peer.pod !== undefined) ?? true) &&
      (ports?.some((one) => one.protocol === protocol && one.port === port) ?? true)
    );
  const about = ({ pod }: End) =>
    policies.filter(({ namespace, podSelector }) =>
      pod?.namespace === namespace && selects(podSelector.matchLabels, pod.labels)
    );
  const [out, into] = [about(from), about(to)];
  return (out.length === 0 || out.some(({ egress }) => passes(egress, to))) &&
    (into.length === 0 || into.some(({ ingress }) => passes(ingress, from)));
}

function selects(selector: Labels, labels: Labels): boolean {
  return Object.entries(selector).every(([name, value]) => labels[name] === value);
}

/** A Deployment as it is looked at. */
interface DeploymentSpec {
  readonly template: {
    readonly metadata: { readonly labels: Labels };
    readonly spec: {
      readonly containers: readonly [{
        readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
        readonly livenessProbe: Probe;
        readonly readinessProbe: Probe;
      }];
    };
  };
}

interface Probe {
  readonly httpGet: { readonly port: string };
}

/** A Service as it is looked at. */
interface ServiceSpec {
  readonly selector: Labels;
  readonly ports: readonly { readonly targetPort: string }[];
}

/** The pods of Deployments, and by which ports Services and nodes reach them. */
function podsOf(objects: readonly KubeObject[]): { end: End; services: number[]; probes: number[] }[] {
  const of = (kind: string) => objects.filter((object) => object.kind === kind);
  return of("Deployment").map(({ metadata, spec }) => {
    const { template } = spec as DeploymentSpec; // of ours
    const { labels } = template.metadata;
    const [{ ports, livenessProbe, readinessProbe }] = template.spec.containers;
    const numberOf = (name: string) => ports.find((port) => port.name === name)!.containerPort;
    const services = of("Service").map(({ spec }) => spec as ServiceSpec).filter(({ selector }) =>
      selects(selector, labels)
    ); // of ours
    return {
      end: { name: metadata.name, pod: { namespace: metadata.namespace!, labels } },
      services: services.flatMap(({ ports }) => ports.map(({ targetPort }) => numberOf(targetPort))),
      probes: [livenessProbe, readinessProbe].map(({ httpGet }) => numberOf(httpGet.port)),
    };
  });
}

const API_SERVER: End = { name: "the API server" };
const NODE: End = { name: "a node" };
const WORLD: End = { name: "the world" };
const STRANGER: End = { name: "a stranger", pod: { namespace: "shop", labels: { app: "stranger" } } };
const PROMETHEUS: End = { name: "Prometheus", pod: { namespace: "monitoring", labels: { app: "prometheus" } } };
const DNS: End = { name: "DNS", pod: { namespace: "kube-system", labels: { "k8s-app": "kube-dns" } } };

function told({ from, to, port, protocol = "TCP" }: Connection): string {
  return `${from.name} to ${to.name} at ${port}/${protocol}`;
}

function expectAllowed(policies: readonly Policy[], connections: readonly Connection[], wanted: boolean): void {
  expect(connections.length).toBeGreaterThan(0);
  for (const one of connections) expect([told(one), allowed(policies, one)]).toEqual([told(one), wanted]);
}

/** What every pod of ours needs: to ask the API server, wherever that listens, and for names. */
function needs(from: End): Connection[] {
  return [
    { from, to: API_SERVER, port: 443 },
    { from, to: API_SERVER, port: 6443 },
    { from, to: DNS, port: 53 },
    { from, to: DNS, port: 53, protocol: "UDP" },
  ];
}

/** Ports that nobody has to reach: the admin interface of a discovery service, the API of a kubelet, SSH. */
const NOBODY = [18080, 10250, 22];

Deno.test("network policies let operator and webhook do what they have to", () => {
  const objects = allObjects(
    installedObjects(installOptions({ "networkPolicies.enabled": true, "monitoring.enabled": true })),
  );
  const policies = policiesOf(objects);
  const pods = podsOf(objects);
  expect(pods.map(({ end }) => end.name)).toEqual(["chancery-operator", "chancery-webhook"]);
  for (const { end, services, probes } of pods) {
    expectAllowed(policies, needs(end), true);
    expectAllowed(policies, probes.map((port) => ({ from: NODE, to: end, port })), true);
    expectAllowed(policies, services.map((port) => ({ from: API_SERVER, to: end, port })), true);
    expectAllowed(policies, [{ from: PROMETHEUS, to: end, port: 8080 }], true);
  }
});

Deno.test("network policies let nobody else in, and their pods nowhere else", () => {
  const objects = allObjects(installedObjects(installOptions({ "networkPolicies.enabled": true })));
  const policies = policiesOf(objects);
  const [operator, webhook] = podsOf(objects).map(({ end }) => end);
  for (const to of [operator!, webhook!]) {
    for (const from of [STRANGER, WORLD, NODE]) {
      expectAllowed(policies, NOBODY.map((port) => ({ from, to, port })), false);
    }
    expectAllowed(policies, [{ from: to, to: STRANGER, port: 8080 }, { from: to, to: WORLD, port: 80 }], false);
    expectAllowed(policies, [{ from: to, to: WORLD, port: 53, protocol: "UDP" }], true); // where names are asked for is not known
  }
  expectAllowed(policies, [
    { from: STRANGER, to: operator!, port: 9443 },
    { from: operator!, to: webhook!, port: 9443 },
    { from: webhook!, to: operator!, port: 8080 },
  ], false);
});

Deno.test("network policies leave discovery services and Envoys to their users, in the namespace of the installation, too", () => {
  const objects = allObjects(installedObjects(installOptions({ "networkPolicies.enabled": true })));
  for (const namespace of ["shop", installOptions().namespace]) {
    const of = (component: string) => ({
      name: component,
      pod: { namespace, labels: ownedLabels(component as "discovery-service", "x") },
    });
    const [xds, envoy] = [of("discovery-service"), of("envoy-deployment")];
    expectAllowed(policiesOf(objects), [
      { from: envoy, to: xds, port: 18000 },
      { from: xds, to: API_SERVER, port: 443 },
      { from: STRANGER, to: envoy, port: 8443 },
      { from: envoy, to: STRANGER, port: 8080 },
    ], true);
  }
});

Deno.test("who is no pod of the cluster does not reach the discovery service for the Envoys of l7mp", () => {
  const objects = Object.values(l7mpObjects(installOptions())).flat();
  const policies = policiesOf(objects);
  const [{ end, probes }] = podsOf(objects) as [ReturnType<typeof podsOf>[0]]; // one
  expectAllowed(policies, [...needs(end), { from: STRANGER, to: end, port: 18000 }], true);
  expectAllowed(policies, probes.map((port) => ({ from: NODE, to: end, port })), true);
  expectAllowed(policies, [
    { from: WORLD, to: end, port: 18000 },
    ...NOBODY.map((port) => ({ from: STRANGER, to: end, port })),
  ], false);
});
