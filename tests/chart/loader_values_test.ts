import { expect } from "expect";
import { parseYaml } from "../../src/base/yaml/mod.ts";
import { render } from "./render.ts";

const EXAMPLE = new URL("../../manifests/examples/loader/", import.meta.url);

/** Every document of a file of the example, or of a text. */
function documentsOf(text: string): unknown[] {
  const { documents, findings } = parseYaml(text, "example.yaml");
  expect(findings).toEqual([]);
  return documents.map(({ value }) => value);
}

/** What the test reads of the values. */
interface Values {
  readonly initContainersTemplate: string;
  readonly volumes: unknown;
  readonly volumeMounts: unknown;
  readonly xds: Readonly<Record<string, string>>;
}

/** What the test reads of the manifest. */
interface Example {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly data: Readonly<Record<string, string>>;
  readonly spec: {
    readonly template: {
      readonly spec: {
        readonly initContainers: unknown;
        readonly containers: readonly [{ readonly volumeMounts: readonly unknown[] }];
        readonly volumes: readonly unknown[];
      };
    };
  };
}

Deno.test("L12: the values for a chart of Envoy give its pods the loader, files and routes of the manifest", () => {
  const read = (name: string) => documentsOf(Deno.readTextFileSync(new URL(name, EXAMPLE)));
  const [values] = read("values.yaml") as [Values]; // as they are written
  const objects = read("envoy.yaml") as Example[];
  const find = (kind: string, name: string) =>
    objects.find((object) => object.kind === kind && object.metadata.name === name)!;
  const rendered = (template: string) =>
    documentsOf(render(template, { Values: values, Release: { Name: "envoy" } }))[0];

  const { initContainers, containers: [envoy], volumes } = find("Deployment", "envoy").spec.template.spec;
  expect(rendered(values.initContainersTemplate)).toEqual(initContainers);
  expect(values.volumes).toEqual(volumes.slice(0, 1)); // the other one is the bootstrap, which the chart has itself
  expect(values.volumeMounts).toEqual(envoy.volumeMounts.slice(0, 1));
  // The chart names clusters as their Services.
  const { data } = find("ConfigMap", "envoy-xds");
  const named = (text: string) => text.replaceAll(/(?<=name: )(bold-olm|eerie-octopus)\b/g, "$1-podinfo");
  for (const file of ["cds.yaml", "rds.yaml"]) {
    expect([file, rendered(values.xds[file]!)]).toEqual([file, documentsOf(named(data[file]!))[0]]);
  }
});
