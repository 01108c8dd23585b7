/** Listeners, routes and what becomes of bad ones: S1, S2, S5 to S8. */
import { expect } from "expect";
import { freePort, startLoad, startUpstream } from "../../envoy/harness/mod.ts";
import { clusterTest } from "../control_plane/mod.ts";
import { manifest, openStage } from "./stage.ts";

clusterTest(
  "Scenario S1: an EnvoyConfig with one listener answers on the Envoys of its node id, and is in sync",
  async () => {
    await using stage = await openStage();
    const port = freePort();
    const envoy = await stage.envoy("direct-response");
    await stage.apply(await manifest("s01_direct_response", { 8080: port }));
    await stage.answers(port, "ok");
    const version = await stage.acknowledged("config");
    const { status } = await stage.config("config");
    expect(status).toMatchObject({ cacheState: "InSync", desiredVersion: version, publishedVersion: version });
    expect(status?.clients).toMatchObject({ connected: 1, accepted: 1, rejected: 0, pending: 0 });
    const { stdout } = await stage.kubectl("get", "ec");
    expect(stdout.split("\n")[0]?.split(/ {2,}/).map((column) => column.trim())).toEqual(
      ["NAME", "NODE ID", "ENVOY API", "DESIRED VERSION", "PUBLISHED VERSION", "CACHE STATE"],
    );
    expect(stdout).toMatch(new RegExp(`config +direct-response +${version} +${version} +InSync`));
    expect(envoy.process.ended).toBeUndefined();
  },
);

clusterTest(
  "Scenario S2: a second path and its upstream come into a running Envoy, and no request is lost",
  async () => {
    await using stage = await openStage({ replicas: 2 });
    const port = freePort();
    await using kuard = startUpstream("kuard");
    await using jobs = startUpstream("jobs");
    const ports = { 8080: port, 9001: kuard.port, 9002: jobs.port };
    const envoys = [await stage.envoy("kuard")];
    await stage.apply(await manifest("s02_path_a", ports));
    await stage.answers(port, "kuard", { path: "/a" });
    await stage.answers(port, 404, { path: "/b" });
    await using load = startLoad({ target: { port }, path: "/a" });
    await stage.apply(await manifest("s02_path_b", ports));
    await stage.answers(port, "jobs", { path: "/b" });
    await stage.accepted("kuard");
    const report = await load.stop();
    expect(report).toMatchObject({ failed: 0, failures: [], stale: 0 });
    expect([...report.bodies.keys()]).toEqual(["kuard"]);
    expect(envoys.map(({ process }) => process.ended)).toEqual([undefined]);
    expect(await stage.revisions("kuard")).toHaveLength(2);
  },
);

clusterTest("Scenario S5: a misspelt duration is refused when it is applied, and the text names it", async () => {
  await using stage = await openStage();
  const yaml = await manifest("s05_misspelt_duration", { 9001: freePort() });
  const { code, stderr } = await stage.tryApply(yaml);
  expect(code).toBe(1);
  expect(stderr).toMatch(/^Error from server \(Forbidden\): .*denied the request: \{"errors":\[/s);
  expect(stderr).toContain('expected a duration such as \\"0.25s\\", found string \\"10 miliseconds\\"');
  expect((await stage.kubectl("get", "ec,ecr")).stderr).toContain("No resources found");
  expect(await stage.apply(yaml.replaceAll("10 miliseconds", "0.01s"))).toEqual([
    'Warning: spec.resources[0]: cluster "kuard" is not used: no route, filter or other cluster names it',
  ]);
});

clusterTest(
  "Scenario S6: a listener that routes to no cluster is refused by Envoy, and the old one keeps serving; scenario S7: a correct one is in sync again",
  async () => {
    await using stage = await openStage({ replicas: 2 });
    const port = freePort();
    await using kuard = startUpstream("kuard");
    await using jobs = startUpstream("jobs");
    const ports = { 8080: port, 9001: kuard.port, 9002: jobs.port };
    await stage.envoy("kuard", "sotw");
    await stage.apply(await manifest("s02_path_a", ports));
    await stage.answers(port, "kuard", { path: "/a" });
    const good = await stage.accepted("kuard");
    await using load = startLoad({ target: { port }, path: "/a" });

    const warnings = await stage.apply(await manifest("s06_typo", ports));
    expect(warnings.join("\n")).toContain('"typo"');
    const status = await stage.until("kuard", "rolled back", ({ cacheState }) => cacheState === "Rollback");
    expect(status.publishedVersion).toBe(good);
    expect(status.desiredVersion).not.toBe(good);
    expect(status.conditions?.find(({ type }) => type === "CacheOutOfSync")).toMatchObject({
      status: "True",
      reason: "CantPublishDesiredVersion",
      message: expect.stringContaining("route: unknown cluster 'typo'"),
    });
    expect((await stage.kubectl("get", "ec", "kuard")).stdout).toMatch(
      new RegExp(`kuard +kuard +${status.desiredVersion} +${good} +Rollback`),
    );
    await stage.answers(port, 404, { path: "/b" });

    await stage.apply(await manifest("s02_path_b", ports));
    await stage.accepted("kuard");
    await stage.answers(port, "jobs", { path: "/b" });
    expect(await load.stop()).toMatchObject({ failed: 0, failures: [], stale: 0 });
  },
);

clusterTest(
  "Scenario S8: a refused version whose cause was elsewhere is served once its tainted revision is found by label and deleted",
  async () => {
    await using stage = await openStage();
    const port = freePort();
    await using kuard = startUpstream("kuard");
    await using squatter = startUpstream("squatter");
    const ports = { 8080: port, 8081: squatter.port, 9001: kuard.port };
    await stage.envoy("kuard");
    await stage.apply(await manifest("s02_path_a", ports));
    await stage.acknowledged("kuard");
    await stage.apply(await manifest("s08_second_port", ports));
    const { desiredVersion } = await stage.until("kuard", "rolled back", (status) => status.cacheState === "Rollback");
    await squatter[Symbol.asyncDispose]();

    // The other one and back: what was tainted stays so.
    await stage.apply(await manifest("s02_path_a", ports));
    await stage.acknowledged("kuard");
    await stage.apply(await manifest("s08_second_port", ports));
    await stage.until("kuard", "rolled back", (status) => status.cacheState === "Rollback");

    const { stdout } = await stage.kubectl("get", "ecr", "-l", "marin3r.3scale.net/node-id=kuard");
    const tainted = stdout.split("\n").filter((line) => line.endsWith("true")).map((line) => line.split(/ +/)[0]);
    expect(tainted).toEqual([`kuard-v3-${desiredVersion}`]);
    expect((await stage.kubectl("delete", "ecr", ...tainted as string[])).code).toBe(0);
    expect(await stage.acknowledged("kuard")).toBe(desiredVersion);
    await stage.answers(squatter.port, "kuard");
  },
);
