import { expect } from "expect";
import type { VirtualServiceDocument } from "../../app/documents/mod.ts";
import { painter } from "../text/paint.ts";
import { servicesText, statusService } from "./services.ts";

const NOW = "2026-01-31T12:00:00Z";

function documentOf(name: string, status: Readonly<Record<string, unknown>>): VirtualServiceDocument {
  return { namespace: "rtp", name, generation: 2, createdAt: "2026-01-31T11:00:00Z", status };
}

function condition(type: string, status: "True" | "False", message: string) {
  return { type, status, reason: "R", message, lastTransitionTime: NOW };
}

function nodes(served: number, accepted: number, rejected = 0) {
  return { observedGeneration: 2, pods: served, nodes: { served, accepted, rejected } };
}

Deno.test("chancery status shows how each VirtualService stands, and below it what is wrong", () => {
  const services = [
    documentOf("fine", nodes(2, 2)),
    documentOf("new", {}),
    documentOf("slow", nodes(2, 1)),
    documentOf("changed", { ...nodes(2, 2), observedGeneration: 1 }),
    documentOf("refused", {
      ...nodes(2, 1, 1),
      conditions: [condition("ClientsRejecting", "True", "1 of 2: cannot bind")],
    }),
    documentOf("taken", { ...nodes(1, 1), conditions: [condition("Conflict", "True", "UDP port 1 is taken")] }),
    documentOf("told", { ...nodes(0, 0), conditions: [condition("Valid", "False", "not shown twice")] }),
  ].map(statusService);
  const findings = [{
    about: "VirtualService/rtp/told",
    severity: "error",
    path: "spec",
    message: "m",
    rule: "r",
  }] as const;
  const text = servicesText(services, { now: NOW, findings, paint: painter(false) });
  expect(`\n${text}`).toBe(`
VIRTUAL SERVICE   PODS   ENVOYS   STATE      AGE
rtp/fine          2      2/2      Served     60m
rtp/new           -      -        Waiting    60m
rtp/slow          2      1/2      Pending    60m
rtp/changed       2      2/2      Pending    60m
rtp/refused       2      1/2      Refused    60m
  error: 1 of 2: cannot bind
rtp/taken         1      1/1      Conflict   60m
  error: UDP port 1 is taken
rtp/told          0      0/0      Invalid    60m
`);
  expect(servicesText([], { now: NOW, findings, paint: painter(false) })).toBe("");
});
