/** A namespace that MARIN3R left behind, with Envoys that are connected and serve: W7. */
import { expect } from "expect";
import { parseYaml } from "../../../src/base/yaml/mod.ts";
import { type Fields, freePort, startLoad, startUpstream } from "../../envoy/harness/mod.ts";
import { clusterTest } from "../control_plane/mod.ts";
import { RULES } from "../discovery_service/site.ts";
import { manifest, openStage, type Stage } from "./stage.ts";

/** Makes objects with their status and finalizers as MARIN3R's manager did: by update, not by apply. */
async function leaveBehind(stage: Stage, yaml: string): Promise<void> {
  const owners = new Map<string, string>();
  for (const { value } of parseYaml(yaml, "left_behind.yaml").documents) {
    const { status, ...object } = value as Fields & { kind: string; metadata: { name: string } };
    const { kind, metadata: { name } } = object;
    const query = "fieldManager=manager";
    const path = `/apis/marin3r.3scale.net/v1alpha1/namespaces/${stage.namespace}/${kind.toLowerCase()}s`;
    const owner = owners.get(name.split("-v3-")[0]!);
    const stated = JSON.parse(JSON.stringify(object).replace("OWNER", owner ?? ""));
    const made = await stage.site.cluster.request("POST", `${path}?${query}`, stated) as { metadata: { uid: string } };
    if (kind === "EnvoyConfig") owners.set(name, made.metadata.uid);
    await stage.site.cluster.request("PUT", `${path}/${name}/status?${query}`, { ...made, status });
  }
}

clusterTest(
  "W7: a namespace that MARIN3R left behind is taken over under load without a gap, and ends with no chancery running",
  async () => {
    await using stage = await openStage({ replicas: 0 });
    const { site } = stage;
    const { cluster } = site;
    await using kuard = startUpstream("kuard");
    const [port, jobsPort] = [freePort(), freePort()];
    const ports = { 8080: port, 8081: jobsPort, 9001: kuard.port };

    // What Envoys are connected to before: another server, which tells them the same under versions of its own.
    const elsewhere = await cluster.namespace("before");
    const kubeconfig = await cluster.serviceAccount(elsewhere, "earlier", RULES, { clusterWide: true });
    const earlier = site.replica("earlier", { kubeconfig, namespaces: [elsewhere] });
    const replica = site.replica("xds-0");
    await earlier.start();
    const yaml = (await manifest("route", ports)).replaceAll("TEXT", "one");
    expect((await cluster.kubectl(["-n", elsewhere, "apply", "-f", "-"], { stdin: yaml })).code).toBe(0);
    const envoy = await site.envoy("kuard", [earlier, replica], { mode: "sotw" });
    await earlier.wait(
      "Envoy to serve",
      async () => (await envoy.stat("listener_manager.total_listeners_active")) === 1,
    );
    await leaveBehind(stage, await manifest("marin3r_left_behind", ports));
    await using load = startLoad({ target: { port }, path: "/text" });

    await earlier.stop();
    await replica.start();
    const jobs = await site.envoy("jobs", [replica]);
    await replica.wait("the stream to come over", async () => (await replica.streams("kuard")).length === 1, 40_000);
    const wait = async (name: string, state: string) =>
      await replica.wait(`${name} to be in state ${state}`, async () => {
        const { status } = await stage.config(name);
        return status?.cacheState === state && status.clients?.accepted === 1 && status;
      }, 40_000);
    const { publishedVersion, desiredVersion } = await wait("kuard", "InSync");
    expect(publishedVersion).toBe(desiredVersion);
    expect((await stage.revisions("kuard")).map(({ metadata }) => metadata.name)).toEqual(
      expect.arrayContaining(["kuard-v3-7f6b9c8d5", "kuard-v3-85cdf4df4", `kuard-v3-${publishedVersion}`]),
    );
    // What Envoys refused under an old hash is not tried on them again under a new one.
    const rolledBack = await wait("jobs", "Rollback");
    expect(rolledBack).toMatchObject({ publishedVersion: "6c8f4d9b7" });
    const httpOk = { failed: 0, failures: [], stale: 0 };
    await using jobsLoad = startLoad({ target: { port: jobsPort }, path: "/text" });
    expect(await jobs.stat("listener_manager.lds.update_rejected")).toBe(0);
    await replica.wait("the finalizers to go", async () => {
      const all = [...await stage.revisions("kuard"), ...await stage.revisions("jobs")];
      return all.length >= 5 && all.every(({ metadata }) => metadata.finalizers === undefined);
    });
    expect(await jobsLoad.stop()).toMatchObject(httpOk);
    const { bodies, ...report } = await load.stop();
    expect(report).toMatchObject(httpOk);
    expect([...bodies.keys()]).toEqual(["one"]);
    expect(await envoy.stat("listener_manager.listener_modified")).toBe(0);

    await replica.stop();
    expect((await cluster.kubectl(["delete", "namespace", stage.namespace, "--timeout=60s"])).code).toBe(0);
    expect(envoy.process.ended).toBeUndefined();
  },
);
