import { expect } from "expect";
import { CASES, RELEASE, rendered, valuesOf, wanted } from "./cases.ts";
import { render } from "./render.ts";

const CHART = new URL("../../manifests/chart/", import.meta.url);

/** The templates of the chart, without the text for people. */
function templates(): string[] {
  const folder = new URL("templates/", CHART);
  const names = [...Deno.readDirSync(folder)].map(({ name }) => name).filter((name) => name.endsWith(".yaml"));
  return names.map((name) => Deno.readTextFileSync(new URL(name, folder)));
}

for (const [name, settings] of Object.entries(CASES)) {
  Deno.test(`the chart renders what chancery install makes of the same settings: ${name}`, () => {
    const root = { Values: valuesOf(settings), Release: { Namespace: RELEASE } };
    const text = templates().map((template) => render(template, root)).join("\n");
    expect(rendered(text)).toEqual(wanted(settings));
  });
}

Deno.test("kinds, and what discovery services need that go on, stay when a release goes", () => {
  const kept = ["crds.yaml", "shared_roles.yaml"];
  for (const name of kept) {
    const text = Deno.readTextFileSync(new URL(`templates/${name}`, CHART));
    const documents = text.split(/^---$/m).slice(1);
    expect(documents.length).toBeGreaterThan(1);
    for (const document of documents) expect(document).toContain("helm.sh/resource-policy: keep");
  }
});
