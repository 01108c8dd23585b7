import { expect } from "expect";
import type { Condition } from "../../api/mod.ts";
import { type DiscoveryService, discoveryServiceSettings, OPERATOR_API_VERSION } from "../../api/operator/mod.ts";
import { ManualClock } from "../../base/mod.ts";
import { argumentsOf, clientRuleOf, isRuleDue } from "./client_rule.ts";

const NAMESPACE = "urn:chancery:namespace:ns";
const EDGE = "urn:chancery:node:ns:edge";
const T0 = Date.UTC(2026, 0, 1);
const MINUTE = 60_000;

interface Case {
  readonly spec: DiscoveryService["spec"];
  readonly conditions?: readonly Condition[];
  /** Arguments of the pods that are there; no pods when absent. */
  readonly args?: readonly string[];
  readonly clients?: Readonly<Record<string, readonly string[] | undefined>>;
  /** Certificates that are to be there. */
  readonly wanted?: readonly string[];
  readonly now?: number;
}

function decide({ spec = {}, conditions = [], args, clients = {}, wanted = [], now = T0 }: Case) {
  const object: DiscoveryService = {
    ...{ apiVersion: OPERATOR_API_VERSION, kind: "DiscoveryService" },
    metadata: { name: "ds", namespace: "ns" },
    spec,
    status: { deploymentName: "marin3r-ds", conditions },
  };
  const settings = discoveryServiceSettings(object);
  const live = args && {
    ...{ apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "marin3r-ds", namespace: "ns" } },
    spec: { template: { spec: { containers: [{ name: "marin3r", args: ["discovery-service", ...args] }] } } },
  };
  const { rule, told, next } = clientRuleOf({
    ...{ now, object, siblings: [], image: "i", owned: [], serverNames: undefined, bundle: true, nodeIds: [] },
    clients: Object.entries(clients).map(([name, uris]) => ({ name, uris })),
  }, {
    ...{ settings, live },
    wanted: wanted.map((name) => ({ apiVersion: "v1", kind: "DiscoveryServiceCertificate", metadata: { name } })),
  });
  return {
    args: argumentsOf(rule).join(" "),
    told: told && `${told.status} ${told.reason}`,
    message: told?.message ?? "",
    next,
    due: isRuleDue(object, { settings, live }),
    condition: told,
  };
}

const SHARED = "envoy-sidecar-client-cert";

const ROWS: readonly (Case & { name: string; want: { args: string; told?: string; names?: string } })[] = [
  { name: "nobody asks by default", spec: {}, args: [], want: { args: "" } },
  {
    name: "the rule leaves the pods at once",
    spec: { clientAuthorization: "Off" },
    args: ["--client-authorization=NodeID"],
    want: { args: "" },
  },
  {
    name: "who is only warned of needs no waiting for",
    spec: { clientAuthorization: "NodeID", clientAuthorizationAction: "Warn" },
    args: [],
    clients: { [SHARED]: [] },
    want: { args: "--client-authorization=NodeID --client-authorization-warn", told: "False WarningOnly" },
  },
  {
    name: "a certificate without URIs holds the rule up",
    spec: { clientAuthorization: "Namespace" },
    args: [],
    clients: { [SHARED]: [NAMESPACE], mine: [], other: ["urn:chancery:namespace:other"], broken: undefined },
    want: { args: "", told: "False CertificatesLackUris", names: "broken, mine, other" },
  },
  {
    name: "so does a certificate that is not there yet",
    spec: { clientAuthorization: "NodeID" },
    args: ["--client-authorization=Namespace"],
    clients: { [SHARED]: [NAMESPACE] },
    wanted: [SHARED, "envoy-sidecar-client-cert-1"],
    want: {
      ...{ args: "--client-authorization=Namespace", told: "False CertificatesLackUris" },
      names: "envoy-sidecar-client-cert-1",
    },
  },
  {
    name: "what is good for a namespace is not good for a node id; what all sidecars share need not be",
    spec: { clientAuthorization: "NodeID" },
    args: [],
    clients: { [SHARED]: [NAMESPACE], front: [NAMESPACE, EDGE], mine: [NAMESPACE] },
    want: { args: "", told: "False CertificatesLackUris", names: "mine" },
  },
  {
    name: "what was warned of is refused only when all certificates say it",
    spec: { clientAuthorization: "NodeID" },
    args: ["--client-authorization=NodeID", "--client-authorization-warn"],
    clients: { mine: [] },
    want: {
      args: "--client-authorization=NodeID --client-authorization-warn",
      ...{ told: "False CertificatesLackUris", names: "mine" },
    },
  },
  {
    name: "a rule that holds goes on holding",
    spec: { clientAuthorization: "NodeID" },
    args: ["--client-authorization=NodeID"],
    clients: { mine: [] },
    want: { args: "--client-authorization=NodeID", told: "True NodeIdRequired" },
  },
  {
    name: "a wider rule takes the place of a narrower one at once",
    spec: { clientAuthorization: "Namespace" },
    args: ["--client-authorization=NodeID"],
    clients: { mine: [] },
    want: { args: "--client-authorization=Namespace", told: "True NamespaceRequired" },
  },
  {
    name: "a rule that was told outlasts a Deployment that somebody takes away",
    spec: { clientAuthorization: "NodeID" },
    conditions: [{
      ...{ type: "ClientsAuthorized", status: "True", reason: "NodeIdRequired", message: "" },
      lastTransitionTime: "2026-01-01T00:00:00Z",
    }],
    clients: { mine: [] },
    want: { args: "--client-authorization=NodeID", told: "True NodeIdRequired" },
  },
  {
    name: "without Deployment and without a word of it nothing is asked for yet",
    spec: { clientAuthorization: "NodeID" },
    clients: { mine: [] },
    want: { args: "", told: "False CertificatesLackUris", names: "mine" },
  },
];

for (const { name, want, ...row } of ROWS) {
  Deno.test(`S2: clientRuleOf(): ${name}`, () => {
    const { args, told, message } = decide(row);
    expect({ args, told }).toEqual({ args: want.args, told: want.told });
    if (want.names !== undefined) expect(message).toMatch(new RegExp(`: ${want.names}$`));
  });
}

Deno.test("S2: clientRuleOf() gives clients the time to read their certificates, from when the last one is right", () => {
  const clock = new ManualClock(T0);
  const given: Case = { spec: { clientAuthorization: "Namespace" }, args: [] };
  const clients = { [SHARED]: [NAMESPACE], front: [EDGE] };
  const look = (more: Partial<Case>) => decide({ ...given, now: clock.now(), ...more });

  const first = look({ clients });
  expect(first).toMatchObject({ args: "", told: "Unknown ClientsReadTheirs", next: T0 + 5 * MINUTE });
  expect(first.message).toBe(
    "Namespace is not asked for before 2026-01-01T00:05:00Z: clients need time to read their certificates",
  );
  const since = new Date(clock.now()).toISOString().replace(".000", "");
  const conditions = [{ ...first.condition!, lastTransitionTime: since }];
  clock.advance(4 * MINUTE);
  expect(look({ clients, conditions })).toMatchObject({ args: "", next: T0 + 5 * MINUTE, due: true });
  // Another certificate comes: from then on it is counted anew, which the condition's own time does.
  const broken = look({ clients: { ...clients, late: [] }, conditions });
  expect(broken).toMatchObject({ args: "", told: "False CertificatesLackUris", next: undefined });
  clock.advance(MINUTE);
  expect(look({ clients, conditions: [{ ...broken.condition!, lastTransitionTime: since }] })).toMatchObject({
    ...{ args: "", told: "Unknown ClientsReadTheirs", next: T0 + 10 * MINUTE },
  });
  expect(look({ clients, conditions })).toMatchObject({
    ...{ args: "--client-authorization=Namespace", told: "True NamespaceRequired", next: undefined },
  });
});

Deno.test("S2: clientRuleOf() takes a time that lies ahead for that of a wrong clock", () => {
  const conditions: Condition[] = [{
    ...{ type: "ClientsAuthorized", status: "Unknown", reason: "ClientsReadTheirs", message: "" },
    lastTransitionTime: "2030-01-01T00:00:00Z",
  }];
  const given: Case = { spec: { clientAuthorization: "Namespace" }, args: [], conditions };
  const { condition } = decide(given);
  expect(condition?.status).toBe("False"); // what changes gets a new time
  expect(decide({ ...given, conditions: [{ ...conditions[0]!, ...condition }] })).toMatchObject({
    ...{ told: "Unknown ClientsReadTheirs", next: T0 + 5 * MINUTE },
  });
});
