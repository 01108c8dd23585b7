import { expect } from "expect";
import { crdOf } from "./crd.ts";
import { ENVOY_CONFIG } from "./envoy_config.ts";
import { ENVOY_CONFIG_REVISION } from "./envoy_config_revision.ts";
import { VIRTUAL_SERVICE } from "./virtual_service/mod.ts";

interface Crd {
  readonly spec: {
    readonly names: { readonly shortNames: readonly string[] };
    readonly versions: readonly {
      readonly additionalPrinterColumns: readonly { readonly name: string }[];
      readonly schema: { readonly openAPIV3Schema: Node };
    }[];
  };
}

interface Node {
  readonly description?: string;
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Node>>;
  readonly items?: Node;
  readonly additionalProperties?: Node;
  readonly required?: readonly string[];
  readonly default?: unknown;
  readonly "x-kubernetes-int-or-string"?: boolean;
}

/** The generator's output by the fields these tests look at. */
function crd(kind: typeof ENVOY_CONFIG): Crd {
  return crdOf(kind) as unknown as Crd; // plain data of our own
}

Deno.test("crdOf() keeps short names and the order of printer columns", () => {
  expect(crd(ENVOY_CONFIG).spec.names.shortNames).toEqual(["ec"]);
  expect(crd(ENVOY_CONFIG).spec.versions[0]?.additionalPrinterColumns.map(({ name }) => name)).toEqual([
    ...["Node ID", "Envoy API", "Desired Version", "Published Version", "Cache State"],
  ]);
  expect(crd(ENVOY_CONFIG_REVISION).spec.names.shortNames).toEqual(["ecr"]);
  expect(crd(ENVOY_CONFIG_REVISION).spec.versions[0]?.additionalPrinterColumns.map(({ name }) => name)).toEqual([
    ...["Node ID", "Envoy API", "Version", "Published", "Created At", "Last Published At", "Tainted"],
  ]);
});

Deno.test("W36: a CRD has no defaults, and as a structural schema a type on every node", () => {
  let seen = 0;
  const visit = (node: Node, path: string) => {
    seen++;
    expect({ path, default: node.default }).toEqual({ path, default: undefined });
    const typed = node.type !== undefined || node["x-kubernetes-int-or-string"] === true;
    expect({ path, typed }).toEqual({ path, typed: true });
    for (const name of node.required ?? []) expect(Object.keys(node.properties ?? {})).toContain(name);
    for (const [name, field] of Object.entries(node.properties ?? {})) visit(field, `${path}.${name}`);
    if (node.items) visit(node.items, `${path}[]`);
    if (node.additionalProperties) visit(node.additionalProperties, `${path}{}`);
  };
  for (const kind of [ENVOY_CONFIG, ENVOY_CONFIG_REVISION, VIRTUAL_SERVICE]) {
    visit(crd(kind).spec.versions[0]!.schema.openAPIV3Schema, kind.kind);
  }
  expect(seen).toBeGreaterThan(150);
});

Deno.test("every field of a CRD is explained, and the whole is small enough for tools that copy it into an annotation", () => {
  const visit = (node: Node, path: string) => {
    for (const [name, field] of Object.entries(node.properties ?? {})) {
      const at = `${path}.${name}`;
      if (at !== ".metadata") {
        expect({ at, description: field.description }).toEqual({ at, description: expect.any(String) });
      }
      visit(field, at);
    }
    if (node.items) visit(node.items, `${path}[]`);
    if (node.additionalProperties) visit(node.additionalProperties, `${path}{}`);
  };
  for (const kind of [ENVOY_CONFIG, ENVOY_CONFIG_REVISION, VIRTUAL_SERVICE]) {
    visit(crd(kind).spec.versions[0]!.schema.openAPIV3Schema, "");
    expect(JSON.stringify(crd(kind)).length).toBeLessThan(256 * 1024);
  }
});
