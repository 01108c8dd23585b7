import { expect } from "expect";
import fc from "fast-check";
import { testCases } from "../../tests/golden/cases.ts";
import { formatFinding } from "../base/mod.ts";
import { checkSchema } from "./check.ts";
import { readEnvoyConfig } from "./check_envoy_config.ts";
import { Secret } from "./secret.ts";

testCases(new URL("./testdata", import.meta.url), {
  name: "readEnvoyConfig()",
  run(input) {
    const { config, findings } = readEnvoyConfig(input);
    return { accepted: config !== undefined, findings: findings.map(formatFinding) };
  },
});

Deno.test("readEnvoyConfig() takes any value without throwing, and finds something or gives a config", () => {
  fc.assert(fc.property(fc.jsonValue(), fc.jsonValue(), (metadata, spec) => {
    const { config, findings } = readEnvoyConfig({ metadata, spec });
    expect(config !== undefined || findings.length > 0).toBe(true);
  }));
});

Deno.test("readEnvoyConfig() stops telling after a bounded number of findings", () => {
  const resources = Array.from({ length: 10_000 }, () => ({ type: "nothing" }));
  expect(readEnvoyConfig({ metadata: { name: "a" }, spec: { nodeID: "a", resources } }).findings.at(-1)?.message).toBe(
    "checking stopped after 1000 problems",
  );
});

Deno.test("W1: a finding about a Secret does not show its value", () => {
  const secret = { apiVersion: "v1", kind: "Secret", metadata: { name: "a" }, data: { k: 123456 }, strngData: {} };
  const findings = checkSchema(Secret, secret);
  expect(findings.map(formatFinding)).toEqual([
    "error: data.k: must be a string, not a number",
    'warning: strngData: unknown field "strngData", did you mean "stringData"?',
  ]);
  expect(JSON.stringify(findings)).not.toContain("123456");
});
