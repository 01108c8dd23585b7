import { expect } from "expect";
import { parseYaml } from "../../src/base/yaml/mod.ts";
import { eventually, type Fields, freePort, httpGet, startEnvoy } from "../envoy/harness/mod.ts";
import { clusterTest } from "./control_plane/mod.ts";
import { NAME, openLoaderScene } from "./loader/scene.ts";

const EXAMPLE = new URL("../../manifests/examples/loader/envoy.yaml", import.meta.url);

clusterTest(
  "L12: the example's native sidecar is taken by a real API server, and its files by a real Envoy",
  async () => {
    const text = await Deno.readTextFile(EXAMPLE);
    const { documents, findings } = parseYaml(text, "envoy.yaml");
    expect(findings).toEqual([]);
    const objects = documents.map(({ value }) => value as Fields & { kind: string; metadata: { name: string } });
    const rules = objects.find(({ kind }) => kind === "Role")!["rules"];
    await using scene = await openLoaderScene({ rules: rules as [] });
    const { code, stderr } = await scene.cluster.kubectl(
      ["apply", "--dry-run=server", "-n", scene.namespace, "-f", EXAMPLE.pathname],
    );
    expect([code, stderr]).toEqual([0, ""]);

    const dataOf = (name: string) =>
      objects.find(({ kind, metadata }) => kind === "ConfigMap" && metadata.name === name)!["data"] as Record<
        string,
        string
      >;
    const port = freePort();
    const here = (words: string) => words.replaceAll("/srv/runtime", scene.root).replace("10000", String(port));
    const data = Object.fromEntries(Object.entries(dataOf(NAME)).map(([key, words]) => [key, here(words)]));
    await scene.put(data);
    expect(await scene.once(["-onetime", "-configmap", NAME])).toMatchObject({ code: 0 });
    const [bootstrap] = parseYaml(here(dataOf("envoy-bootstrap")["envoy.yaml"]!), "bootstrap").documents;
    await using envoy = await startEnvoy({
      bootstrap: { node: { id: "a", cluster: "a" }, ...bootstrap!.value as Fields },
    });
    await eventually(() => envoy.ready(), { what: "Envoy to be ready", deadlineMs: 30_000 });
    expect(await envoy.clusterNames()).toEqual(["bold-olm", "eerie-octopus"]);
    expect(JSON.stringify(JSON.parse(await envoy.configDump()))).toContain('"name":"eerie-octopus","weight":50');
    // Nobody is behind it, but the route is there: without it the answer would be 404.
    expect((await httpGet({ port }, "/")).status).toBe(503);
  },
);
