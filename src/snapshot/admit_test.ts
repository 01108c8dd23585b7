import { expect } from "expect";
import { formatFinding } from "../base/mod.ts";
import { envoyRegistry } from "../envoy/mod.ts";
import { admitEnvoyConfig } from "./admit.ts";

const registry = envoyRegistry();

function config(...resources: unknown[]) {
  return { metadata: { name: "a" }, spec: { nodeID: "n", resources } };
}

const ROUTE = { type: "route", value: { name: "r" } };
const TWICE = 'spec.resources[1]: route "r" is defined more than once, the last one counts';

Deno.test("W21: admitEnvoyConfig() refuses a duplicate that is introduced, and lets one through that was stored", () => {
  const told = (stored?: unknown) =>
    admitEnvoyConfig(config(ROUTE, ROUTE), { registry, ...(stored === undefined ? {} : { stored }) }).findings.map(
      formatFinding,
    );
  expect(told()).toEqual([`error: ${TWICE}`]);
  expect(told(config(ROUTE))).toEqual([`error: ${TWICE}`]);
  expect(told(config(ROUTE, { type: "cluster", value: { name: "c" } }, ROUTE))).toEqual([`warning: ${TWICE}`]);
});

Deno.test("admitEnvoyConfig() does not ask for Secrets and slices that come later", () => {
  const secret = { type: "secret", generateFromTlsSecret: "s" };
  const endpoint = {
    type: "endpoint",
    generateFromEndpointSlices: { clusterName: "c", targetPort: "p", selector: {} },
  };
  expect(admitEnvoyConfig(config(secret, endpoint), { registry }).findings).toEqual([]);
});

Deno.test("W21: admitEnvoyConfig() tells all of structure, or all of content, with paths", () => {
  const told = (object: unknown) => admitEnvoyConfig(object, { registry }).findings.map(formatFinding);
  expect(told(config({ type: "cluster" }, { type: "cluster", value: { nme: "x" } }))).toEqual([
    "error: spec.resources[0]: value must be set for type cluster",
  ]);
  const timeout = { name: "c", connect_timeout: "-1s" };
  expect(told(config({ type: "cluster", value: timeout }, { type: "cluster", value: { nme: "x" } }))).toHaveLength(3);
});
