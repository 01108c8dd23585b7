import { expect } from "expect";
import { parseYaml } from "../../base/yaml/mod.ts";
import { runCaptured } from "../fake_terminal.ts";

function namesIn(yaml: string): unknown[] {
  return parseYaml(yaml, "crds.yaml").documents.map(({ value }) =>
    (value as { metadata: { name: string } }).metadata.name
  );
}

Deno.test("chancery crd prints all CRDs, as they stand in manifests/crd/", async () => {
  const { status, out, err } = await runCaptured(["crd"]);
  expect([status, err]).toEqual([0, ""]);
  const folder = new URL("../../../manifests/crd/", import.meta.url);
  const files = [...Deno.readDirSync(folder)].map(({ name }) => Deno.readTextFileSync(new URL(name, folder)));
  expect(namesIn(out).sort()).toEqual(files.flatMap(namesIn).sort());
  for (const file of files) expect(out).toContain(file.replace(/^#.*\n/, ""));
});

Deno.test("chancery crd takes every word that kubectl takes", async () => {
  const [first] = namesIn((await runCaptured(["crd", "ec"])).out);
  expect(first).toBe("envoyconfigs.marin3r.3scale.net");
  for (const word of ["EnvoyConfig", "envoyconfigs", "envoyconfigs.marin3r.3scale.net"]) {
    expect(namesIn((await runCaptured(["crd", word])).out)).toEqual([first]);
  }
  const { out } = await runCaptured(["crd", "ecr", "ec", "-o", "json"]);
  expect(JSON.parse(out)).toMatchObject({
    kind: "List",
    items: [{ spec: { names: { kind: "EnvoyConfig" } } }, { spec: { names: { kind: "EnvoyConfigRevision" } } }],
  });
  expect(JSON.parse((await runCaptured(["crd", "ec", "-o", "json"])).out).kind).toBe("CustomResourceDefinition");
  expect((await runCaptured(["crd", "-o", "name"])).out.split("\n")).toContain("envoyconfig");
});

Deno.test("chancery crd names each word that is no kind, with what was probably meant", async () => {
  const { status, out, err } = await runCaptured(["crd", "envoyconfg", "ec", "pods"]);
  expect([status, out]).toEqual([2, ""]);
  expect(err).toContain('error: "envoyconfg" is no kind of Chancery, did you mean "envoyconfig"?\n');
  expect(err).toMatch(/error: "pods" is no kind of Chancery; there are envoyconfig, .*\nTry: chancery crd --help\n/);
});
