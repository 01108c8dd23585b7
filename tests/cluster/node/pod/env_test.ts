import { expect } from "expect";
import { containerEnv, type Lookup } from "./env.ts";
import type { Container, Pod } from "./pod.ts";

const FACTS = { nodeName: "node", hostIP: "1.1.1.1", podIP: "2.2.2.2", capacity: { cpu: "4", memory: "1Gi" } };
const POD: Pod = {
  metadata: { name: "p", namespace: "n", uid: "u", labels: { "a/b": "c" }, annotations: { x: "y" } },
  spec: { serviceAccountName: "sa", containers: [] },
};

function lookup(kind: string, name: string): ReturnType<Lookup> {
  return name === "known" ? new Map([["KEY", `${kind} value`]]) : undefined;
}

function env(container: Partial<Container>): Record<string, string> {
  const services = new Map([["KUBERNETES_SERVICE_HOST", "10.0.0.1"]]);
  const inputs = { pod: POD, container: { name: "c", image: "i", ...container }, facts: FACTS, lookup, services };
  return Object.fromEntries(containerEnv(inputs));
}

Deno.test("containerEnv() gives fields of the Pod and of the node", () => {
  const paths = {
    NAME: "metadata.name",
    LABEL: "metadata.labels['a/b']",
    NOTE: "metadata.annotations['x']",
    NODE: "spec.nodeName",
    ACCOUNT: "spec.serviceAccountName",
    IP: "status.podIP",
    HOST: "status.hostIP",
  };
  const fields = Object.entries(paths).map(([name, fieldPath]) => ({ name, valueFrom: { fieldRef: { fieldPath } } }));
  expect(env({ env: fields })).toEqual({
    KUBERNETES_SERVICE_HOST: "10.0.0.1",
    NAME: "p",
    LABEL: "c",
    NOTE: "y",
    NODE: "node",
    ACCOUNT: "sa",
    IP: "2.2.2.2",
    HOST: "1.1.1.1",
  });
});

Deno.test("containerEnv() puts earlier variables into later ones, and lets later ones win", () => {
  const { A, B, KEY } = env({
    envFrom: [{ configMapRef: { name: "known" } }],
    env: [{ name: "A", value: "1" }, { name: "B", value: "$(A)/$(KUBERNETES_SERVICE_HOST)/$(LATER)" }, {
      name: "LATER",
      value: "x",
    }, { name: "KEY", value: "own" }],
  });
  expect([A, B, KEY]).toEqual(["1", "1/10.0.0.1/$(LATER)", "own"]);
});

Deno.test("containerEnv() takes keys and whole objects, prefixed", () => {
  const found = env({
    envFrom: [{ prefix: "P_", secretRef: { name: "known" } }, { configMapRef: { name: "nobody", optional: true } }],
    env: [
      { name: "ONE", valueFrom: { configMapKeyRef: { name: "known", key: "KEY" } } },
      { name: "NONE", valueFrom: { secretKeyRef: { name: "nobody", key: "KEY", optional: true } } },
    ],
  });
  expect(found).toMatchObject({ P_KEY: "Secret value", ONE: "ConfigMap value" });
  expect("NONE" in found).toBe(false);
});

Deno.test("containerEnv() names the object or key that is missing", () => {
  const of = (name: string, key: string) => () =>
    env({ env: [{ name: "A", valueFrom: { secretKeyRef: { name, key } } }] });
  expect(of("nobody", "KEY")).toThrow('secret "nobody" not found');
  expect(of("known", "OTHER")).toThrow("couldn't find key OTHER in Secret known");
});

Deno.test("containerEnv() gives limits in the divisor's unit, the node's where there is none", () => {
  const resourceFieldRef = (resource: string, divisor: string) => ({
    valueFrom: { resourceFieldRef: { resource, divisor } },
  });
  const found = env({
    env: [
      { name: "CPU", ...resourceFieldRef("limits.cpu", "1m") },
      { name: "MEMORY", ...resourceFieldRef("limits.memory", "1Mi") },
    ],
  });
  expect(found).toMatchObject({ CPU: "4000", MEMORY: "1024" });
});
