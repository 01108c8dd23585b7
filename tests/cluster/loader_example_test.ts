import { expect } from "expect";
import { parseYaml } from "../../src/base/yaml/mod.ts";
import { eventually, type Fields, freePort, Hopeless, httpGet, startEnvoy } from "../envoy/harness/mod.ts";
import { CLI } from "../program.ts";
import { clusterTest } from "./control_plane/mod.ts";
import { NAME, openLoaderScene } from "./loader/scene.ts";
import { machineProgram, programImage } from "./node/mod.ts";
import { echo, IMAGES, podOf, type Scene, sceneTest, service } from "./node/scene.ts";

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

/** The two back ends of the example. */
const BOLD = "bold-olm-podinfo";
const EERIE = "eerie-octopus-podinfo";

/** Whom a pod's Envoy asked. @throws {Error} when the answer is not that of a back end */
async function backEnd(podIP: string): Promise<string> {
  const response = await fetch(`http://${podIP}:10000/`, { signal: AbortSignal.timeout(30_000) });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`Envoy answers ${response.status}: ${text}`);
  return (JSON.parse(text) as { hostname: string }).hostname; // as the echo server has it
}

/** Waits until the last 20 answers of each pod are of exactly these back ends. No request may fail meanwhile. */
async function answered(podIPs: readonly string[], names: readonly string[]): Promise<void> {
  const last = new Map<string, readonly string[]>();
  await eventually(async () => {
    for (const podIP of podIPs) {
      const name = await backEnd(podIP).catch((error) => {
        throw new Hopeless(String(error));
      });
      last.set(podIP, [...last.get(podIP) ?? [], name].slice(-20));
    }
    return [...last.values()].every((seen) => seen.length === 20 && [...new Set(seen)].sort().join() === names.join());
  }, { what: `answers of ${names.join(" and ")}`, deadlineMs: 60_000, explain: () => JSON.stringify([...last]) });
}

/** Puts other weights into the example's ConfigMap, as a user does. */
async function weigh(scene: Scene, bold: number, eerie: number): Promise<void> {
  const { data } = await scene.get<{ data: Readonly<Record<string, string>> }>(`configmaps/${NAME}`);
  const rds = data["rds.yaml"]!.replace(/(name: bold-olm, weight:) \d+/, `$1 ${bold}`)
    .replace(/(name: eerie-octopus, weight:) \d+/, `$1 ${eerie}`);
  expect(rds).not.toBe(data["rds.yaml"]);
  await scene.patch(`configmaps/${NAME}`, { data: { "rds.yaml": rds } });
}

sceneTest(
  "L12: the example as it is: pods whose native sidecar feeds their Envoy, and follow other weights without a failed request",
  async (scene) => {
    const { cluster, namespace } = scene;
    for (const name of [BOLD, EERIE]) {
      await scene.create(
        service(name, { ports: [{ port: 9898, targetPort: "http" }] }),
        podOf(name, { containers: [echo()] }),
      );
    }
    const { code, stderr } = await cluster.kubectl(["apply", "-n", namespace, "-f", EXAMPLE.pathname]);
    expect([code, stderr]).toEqual([0, ""]);
    try {
      await Promise.all([BOLD, EERIE].map((name) => scene.ready(name)));
      const pods = await scene.readyPods("envoy", 2);
      const podIPs = pods.map(({ status }) => status.podIP!);
      for (const podIP of podIPs) {
        await eventually(() => backEnd(podIP), { what: `an answer of ${podIP}`, deadlineMs: 60_000 });
      }
      await answered(podIPs, [BOLD, EERIE]);
      await weigh(scene, 0, 100);
      await answered(podIPs, [EERIE]);
      await weigh(scene, 100, 0);
      await answered(podIPs, [BOLD]);

      for (const { metadata: { name } } of pods) {
        const { status } = await scene.pod(name);
        const all = [...status.initContainerStatuses ?? [], ...status.containerStatuses ?? []];
        expect(all.map((one) => [one.name, one.ready, one.restartCount])).toEqual([
          ["loader", true, 0],
          ["envoy", true, 0],
        ]);
      }
    } finally {
      await cluster.kubectl(["delete", "deployment", "envoy", "-n", namespace, "--wait=false"]);
    }
    // Envoy ends first, then the loader.
    await eventually(async () => (await scene.pods("envoy")).length === 0, {
      what: "the pods to be gone",
      deadlineMs: 60_000,
    });
  },
  {
    images: {
      ...IMAGES,
      "chancery": programImage(CLI, { user: 65532 }),
      "envoyproxy/envoy": await machineProgram("envoy", { user: 101, entrypoint: ["envoy"] }),
    },
  },
);
