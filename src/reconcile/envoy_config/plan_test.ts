import { testCases } from "../../../tests/golden/cases.ts";
import { EndpointSlice, readEnvoyConfig, sameStatus, Secret } from "../../api/mod.ts";
import { checkSchema } from "../../api/mod.ts";
import { formatKey } from "../../base/mod.ts";
import { envoyRegistry } from "../../envoy/mod.ts";
import { sourcesOf } from "../../snapshot/mod.ts";
import { keyOf, type WatchedObject } from "../engine/object_source.ts";
import { byAge } from "./choose.ts";
import { type NodePlan, planNode } from "./plan.ts";

const NOW = Date.parse("2026-03-04T05:06:07Z");

testCases(new URL("./testdata", import.meta.url), {
  name: "planNode()",
  run(input) {
    const before = input.before === undefined ? undefined : plan(input.before as Input); // our own files
    const { output, served, statuses, lastGood } = plan(input, before);
    return {
      output: output.kind,
      serves: served?.snapshot.revision ?? "nothing",
      statuses: Object.fromEntries(statuses.map(({ object, status }) => [
        formatKey(keyOf(object)),
        sameStatus(object.status, status) ? "unchanged" : status,
      ])),
      lastGood: lastGood ? [...lastGood.keys()] : "unchanged",
    };
  },
});

interface Input {
  readonly configs?: Record<string, unknown>[];
  readonly secrets?: Record<string, unknown>[];
  readonly slices?: Record<string, unknown>[];
}

function plan({ configs = [], secrets = [], slices = [] }: Input, before?: NodePlan): NodePlan {
  const read = configs.map((config) => {
    const object = {
      apiVersion: "marin3r.3scale.net/v1alpha1",
      kind: "EnvoyConfig",
      ...config,
    } as unknown as WatchedObject;
    return { object, read: readEnvoyConfig(object) };
  });
  const [winner] = byAge(read);
  const namespace = winner ? keyOf(winner.object).namespace : "";
  return planNode({
    nodeId: "edge",
    configs: read,
    sources: sourcesOf(
      secrets.map((one) => checked<Secret>(Secret, { apiVersion: "v1", kind: "Secret", ...one }))
        .filter(({ metadata }) => metadata.namespace === namespace),
      slices.map((one) => checked<EndpointSlice>(EndpointSlice, { apiVersion: "v1", kind: "EndpointSlice", ...one })),
    ),
    lastGood: before?.lastGood ?? new Map(),
    now: NOW,
    ...(before?.served ? { served: before.served } : {}),
  }, { registry: envoyRegistry() });
}

function checked<T>(schema: unknown, value: unknown): T {
  const [finding] = checkSchema(schema, value);
  if (finding) throw new Error(`The case is wrong: ${finding.message}`);
  return value as T; // checked in the lines above
}
