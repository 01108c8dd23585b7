import { testCases } from "../../../tests/golden/cases.ts";
import type { Pod, VirtualService } from "../../api/virtual_service/mod.ts";
import { envoyRegistry, resourceTypeOf, toJson } from "../../envoy/mod.ts";
import type { Resource } from "../../snapshot/mod.ts";
import { resourcesOf } from "./layer.ts";
import { planVirtualServices } from "./plan.ts";

interface Input {
  readonly virtualServices?: readonly VirtualService[];
  readonly pods?: readonly Pod[];
}

testCases(new URL("./testdata/plan", import.meta.url), {
  name: "planVirtualServices()",
  run(input) {
    const { virtualServices = [], pods = [] } = input as Input; // our own files
    const plan = planVirtualServices({ virtualServices, pods });
    return {
      pods: Object.fromEntries([...plan.pods].map(([pod, { kept }]) => {
        const resources = new Map(
          kept.flatMap(({ unit }) => resourcesOf(unit, "ads")).map((one) => [one.name + one.typeUrl, one]),
        );
        return [pod, [...resources.values()].map(plain)];
      })),
      virtualServices: Object.fromEntries([...plan.virtualServices].map(([id, { pods, collisions, findings }]) => [id, {
        pods,
        ...(collisions.length > 0 && { collisions }),
        ...(findings.length > 0 && {
          findings: findings.map(({ severity, path, message }) => `${severity} ${path.join(".")}: ${message}`),
        }),
      }])),
    };
  },
});

function plain({ typeUrl, body }: Resource): Record<string, unknown> {
  const { item, message } = resourceTypeOf(typeUrl)!; // of our own making
  return { [item]: toJson(envoyRegistry(), message, body) };
}
