import { expect } from "expect";
import { stringifyYaml } from "../../base/yaml/mod.ts";
import { checkSchema } from "../check.ts";
import { crdOf } from "../crd.ts";
import { DISCOVERY_SERVICE, DISCOVERY_SERVICE_CERTIFICATE, ENVOY_DEPLOYMENT, parseGoDuration } from "./mod.ts";

const KINDS = [DISCOVERY_SERVICE, DISCOVERY_SERVICE_CERTIFICATE, ENVOY_DEPLOYMENT];

/** What `kubectl apply` writes into an annotation, which may hold so many bytes. */
const MAX_ANNOTATION = 262_144;

for (const kind of KINDS) {
  Deno.test(`the CRD of ${kind.kind} can be applied by every kubectl`, () => {
    expect(JSON.stringify(crdOf(kind)).length).toBeLessThan(MAX_ANNOTATION);
    expect(stringifyYaml(crdOf(kind)).length).toBeLessThan(MAX_ANNOTATION);
  });

  Deno.test(`the CRD of ${kind.kind} has no defaults, and a type on every node`, () => {
    let seen = 0;
    const visit = (node: Record<string, unknown>, path: string) => {
      seen++;
      const typed = node.type !== undefined || node["x-kubernetes-int-or-string"] === true;
      expect({ path, typed, default: node.default }).toEqual({ path, typed: true, default: undefined });
      const children = { ...node.properties as object, "[]": node.items, "{}": node.additionalProperties };
      for (const [name, child] of Object.entries(children)) {
        if (child !== undefined) visit(child as Record<string, unknown>, `${path}.${name}`); // a schema again
      }
    };
    const { spec } = crdOf(kind) as { spec: { versions: { schema: { openAPIV3Schema: Record<string, unknown> } }[] } };
    visit(spec.versions[0]!.schema.openAPIV3Schema, kind.kind);
    expect(seen).toBeGreaterThan(30);
  });
}

Deno.test("checkSchema() knows the fields of embedded types, and near ones", () => {
  const spec = { affinity: { podAntiAfinity: {} }, resources: { limits: { cpu: 1 } } };
  expect(checkSchema(DISCOVERY_SERVICE.spec, spec)).toEqual([
    expect.objectContaining({ path: ["affinity", "podAntiAfinity"], suggestion: "podAntiAffinity" }),
  ]);
});

Deno.test("parseGoDuration() reads what Go writes, and nothing else", () => {
  const texts = ["26280h", "2160h0m0s", "1h30m", "1.5h", "90s", "250ms", "1us", "0", "0s", "", "5", "-1h", "1 h", "1d"];
  expect(texts.map(parseGoDuration)).toEqual([
    ...[94_608_000_000, 7_776_000_000, 5_400_000, 5_400_000, 90_000, 250, 0.001, 0, 0],
    ...[undefined, undefined, undefined, undefined, undefined],
  ]);
});
