import { expect } from "expect";
import { parseYaml } from "../../base/yaml/mod.ts";
import { installedObjects, installOptions, type KubeObject, objectTitle } from "../../install/mod.ts";
import { COMMANDS } from "../commands.ts";
import { runCaptured } from "../fake_terminal.ts";
import { resolveValues } from "../values.ts";
import { readSettings } from "./read_settings.ts";

function documentsIn(text: string): KubeObject[] {
  return parseYaml(text, "install.yaml").documents.map(({ value }) => value as unknown as KubeObject); // ours
}

Deno.test("chancery install --print prints what manifests/default holds", async () => {
  const { status, out, err } = await runCaptured(["install", "--print"]);
  expect([status, err]).toEqual([0, ""]);
  const folder = new URL("../../../manifests/default/", import.meta.url);
  const files = [...Deno.readDirSync(folder)].filter(({ name }) => name !== "kustomization.yaml");
  const kept = files.flatMap(({ name }) => documentsIn(Deno.readTextFileSync(new URL(name, folder))));
  const byTitle = (objects: readonly KubeObject[]) => new Map(objects.map((one) => [objectTitle(one), one]));
  expect(byTitle(documentsIn(out))).toEqual(byTitle(kept));
});

Deno.test("chancery install takes settings of every type", async () => {
  const { out } = await runCaptured([
    ...["install", "--print", "-n", "mesh", "--image", "registry.example.com/chancery:1"],
    ...["--set", "watchNamespaces=shop, blog", "--set", "operator.replicas=2", "--set", "logLevel=debug"],
    ...["--set", 'operator.resources={"requests":{"cpu":"1"}}', "--set", "tolerations=[{key: a}, {key: b}]"],
  ]);
  const operator = documentsIn(out).find(({ kind }) => kind === "Deployment");
  expect(operator).toMatchObject({
    metadata: { name: "chancery-operator", namespace: "mesh" },
    spec: {
      replicas: 2,
      template: {
        spec: {
          tolerations: [{ key: "a" }, { key: "b" }],
          containers: [{
            image: "registry.example.com/chancery:1",
            args: expect.arrayContaining(["--log-level=debug"]),
            env: expect.arrayContaining([{ name: "WATCH_NAMESPACE", value: "shop,blog" }]),
            resources: { requests: { cpu: "1" } },
          }],
        },
      },
    },
  });
});

Deno.test("readSettings() names every mistake at once", () => {
  const given = ["image", "imge=a", "operator.replicas=two", "logLevel=loud", "nodeSelector=[a]", "tolerations={}"];
  let message = "";
  try {
    readSettings(given);
  } catch (thrown) {
    message = (thrown as Error).message;
  }
  expect(message.split("\n")).toEqual([
    "--set image has no value: image=…",
    '--set "imge" is no setting, did you mean image?',
    '--set operator.replicas: "two" is no number of pods',
    '--set logLevel: "loud" is none of debug, info, warn, error',
    '--set nodeSelector: "[a]" is no mapping in JSON or YAML',
    '--set tolerations: "{}" is no list of mappings in JSON or YAML',
  ]);
});

Deno.test("O10: every argument of a pod that is installed is an option of its role", async () => {
  for (const certManager of [false, true]) {
    const { operator, webhook } = installedObjects(installOptions({ "certManager.enabled": certManager }));
    for (const { kind, spec } of [...operator, ...webhook]) {
      if (kind !== "Deployment") continue;
      const { template } = spec as {
        template: { spec: { containers: { args: string[]; env: { name: string }[] }[] } };
      };
      const [{ args: [role = "", ...flags], env }] = template.spec.containers as [typeof template.spec.containers[0]];
      const { options } = (await COMMANDS[role]!.load()).command;
      const given = Object.fromEntries(flags.map((flag) => {
        const [name = "", value] = flag.slice(2).split("=");
        return [name.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase()), value ?? true];
      }));
      for (const name of Object.keys(given)) expect([role, name in options]).toEqual([role, true]);
      const variables = new Map(env.map(({ name }) => [name, name === "WATCH_NAMESPACE" ? "" : "x"]));
      resolveValues(options, given, (name) => variables.get(name)); // throws when one cannot be read
    }
  }
});

Deno.test("chancery install --no-wait reaches the command, whose flag begins with a no of its own", async () => {
  const { command } = await COMMANDS["install"]!.load();
  const { run } = command;
  const taken: unknown[] = [];
  Object.assign(command, {
    run: (values: object) => Promise.resolve(taken.push((values as { noWait: unknown }).noWait)),
  });
  try {
    await runCaptured(["install", "--no-wait"]);
    await runCaptured(["install"]);
  } finally {
    Object.assign(command, { run });
  }
  expect(taken).toEqual([true, false]);
});
