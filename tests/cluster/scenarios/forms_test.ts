/** Every type and both forms of an EnvoyConfig, and bootstraps of users: S10, S12, S13, S16, S18. */
import { expect } from "expect";
import { parseYaml } from "../../../src/base/yaml/mod.ts";
import { createAuthority } from "../../certificates.ts";
import {
  eventually,
  type Fields,
  freePort,
  httpGet,
  startLoad,
  startProcess,
  startUpstream,
  tlsSecret,
} from "../../envoy/harness/mod.ts";
import { clusterTest } from "../control_plane/mod.ts";
import { manifest, openStage, type Stage } from "./stage.ts";
import { CLI } from "../../program.ts";

/** Puts a Secret `certificate` in place and gives back who issued it. */
async function certificate(stage: Stage): Promise<string> {
  const authority = await createAuthority();
  await stage.site.apply(tlsSecret("certificate", await authority.issue({ commonName: "edge", dns: ["edge.test"] })));
  return authority.cert;
}

clusterTest(
  "Scenario S10: the deprecated form with texts of YAML works, and is replaced by the current one without a gap",
  async () => {
    await using stage = await openStage({ replicas: 2 });
    const [port, tlsPort] = [freePort(), freePort()];
    await using kuard = startUpstream("kuard");
    const ports = { 8080: port, 8443: tlsPort, 9001: kuard.port };
    const secure = { port: tlsPort, tls: { serverName: "edge.test", caCerts: [await certificate(stage)] } };
    const envoy = await stage.envoy("kuard", "sotw");
    await stage.apply(await manifest("s10_deprecated", ports));
    await stage.answers(port, "kuard", { path: "/east/x" });
    await stage.answers(port, "west", { path: "/west/x" });
    await stage.answers(port, 404, { path: "/north/x" });
    const old = await stage.accepted("kuard");
    expect((await httpGet(secure)).body).toBe("kuard");
    expect(JSON.parse(await envoy.admin("/runtime"))).toMatchObject({
      entries: { static_layer_0: { final_value: "value" } },
    });
    const [revision] = await stage.revisions("kuard");
    expect((revision?.spec["resources"] as Fields[]).map(({ type }) => type)).toEqual([
      ...["endpoint", "cluster", "route", "route", "scopedRoute", "scopedRoute", "listener", "listener"],
      ...["runtime", "secret"],
    ]);

    await using load = startLoad({ target: { port }, path: "/east/x" });
    await using secureLoad = startLoad({ target: secure });
    await stage.apply(await manifest("s10_current", ports));
    const current = await stage.accepted("kuard");
    expect(current).not.toBe(old); // the order of the items is another one
    await stage.answers(port, "west", { path: "/west/x" });
    expect(await load.stop()).toMatchObject({ failed: 0, failures: [], stale: 0 });
    expect(await secureLoad.stop()).toMatchObject({ failed: 0, failures: [], stale: 0 });
    expect((await stage.config("kuard")).spec).not.toHaveProperty("envoyResources");
  },
);

clusterTest("Scenario S12: a router filter that comes by config_discovery makes the listener active", async () => {
  await using stage = await openStage();
  const port = freePort();
  await stage.apply(await manifest("s12_extension_config", { 8080: port }));
  const envoy = await stage.envoy("envoy1");
  await stage.answers(port, "local");
  await stage.acknowledged("envoy1");
  expect(await envoy.stat("extension_config_discovery.http_filter.proxy.filters.http.router.config_reload")).toBe(1);
});

clusterTest(
  "Scenario S13: a discovery service run by hand with self-made certificates serves the Envoy of a hand-written bootstrap",
  async () => {
    await using stage = await openStage({ replicas: 0, webhook: false });
    const [xdsPort, port] = [freePort(), freePort()];
    const { namespace, authority, cluster } = stage.site;
    const folder = await Deno.makeTempDir();
    const write = async (name: string, { cert, key }: { cert: string; key: string }) => {
      await Deno.mkdir(`${folder}/${name}`);
      await Deno.writeTextFile(`${folder}/${name}/tls.crt`, cert);
      await Deno.writeTextFile(`${folder}/${name}/tls.key`, key, { mode: 0o600 });
    };
    try {
      await write("server", await authority.issue({ commonName: "localhost", dns: ["localhost"] }));
      await write("client", await authority.issue({ commonName: "envoy1" }));
      await write("ca", authority);
      await using service = startProcess({
        name: "discovery-service",
        command: Deno.execPath(),
        args: [
          ...["run", "--quiet", "--allow-all", CLI, "discovery-service", "--debug", "--xdss-port", String(xdsPort)],
          ...["--server-certificate-path", `${folder}/server`, "--ca-certificate-path", `${folder}/ca`],
          ...["--metrics-bind-address", "0", "--health-probe-bind-address", "0", "--admin-bind", "127.0.0.1:0"],
        ],
        env: {
          KUBECONFIG: `${cluster.directory}/${namespace}-discovery-service.kubeconfig`,
          WATCH_NAMESPACE: namespace,
        },
      });
      await stage.apply(await manifest("s12_extension_config", { 8080: port }));
      const yaml = await manifest("s13_own_bootstrap", { 9901: 0, 18000: xdsPort });
      const [bootstrap] = parseYaml(yaml.replaceAll("CLIENT", `${folder}/client`), "bootstrap.yaml").documents;
      await stage.envoyOf(bootstrap?.value as Fields);
      await eventually(async () => (await httpGet({ port })).body === "local", {
        what: "the answer",
        deadlineMs: 40_000, // Envoy may have been there before the service
        explain: () => service.tail(40),
      });
      const log = service.lines.join("\n");
      expect(log).toMatch(/"?node"?[=:]"?envoy1/);
      for (const type of ["CDS", "LDS", "RDS", "ECDS"]) expect(log).toContain(type);
      expect((await service.stop()).code).toBe(0);
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
);

clusterTest(
  "Scenario S16: one item of every type is accepted and served; a runtime of another name keeps no Envoy waiting",
  async () => {
    await using stage = await openStage();
    const port = freePort();
    const seen: (string | null)[] = [];
    await using upstream = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, (request) => {
      seen.push(request.headers.get("authorization"));
      return new Response("cluster1");
    });
    const tls = { serverName: "edge.test", caCerts: [await certificate(stage)] };
    await stage.site.apply({
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "token" },
      type: "Opaque",
      stringData: { token: "Bearer one-token-for-the-upstream" },
    });
    const warnings = await stage.apply(await manifest("s16_every_type", { 8443: port, 9001: upstream.addr.port }));
    expect(warnings).toEqual(["Warning: spec.serialization: serialization means nothing to resources"]);
    const envoy = await stage.envoy("proxy");
    await eventually(async () => (await httpGet({ port, tls }, "/test")).body === "cluster1", {
      what: "the answer by HTTPS",
      deadlineMs: 20_000,
      explain: () => `${stage.tail()}\n${envoy.process.tail()}`,
    });
    expect((await httpGet({ port, tls }, "/other")).status).toBe(404);
    expect(seen.at(-1)).toBe("Bearer one-token-for-the-upstream");
    await stage.acknowledged("config");
    const [revision] = await stage.revisions("proxy");
    expect(Object.keys(revision?.status?.providesVersions ?? {}).sort()).toEqual(
      ["clusters", "endpoints", "extensionConfigs", "listeners", "routes", "runtimes", "scopedRoutes", "secrets"],
    );
    expect(JSON.parse(await envoy.admin("/runtime")).entries).toEqual({});
    expect(await envoy.ready()).toBe(true);
  },
);

clusterTest(
  "Scenario S18: routes by RDS and filter by ECDS answer; proxies in front of another server and of the own pod's loopback do",
  async () => {
    await using stage = await openStage({ replicas: 2 });
    const [port, otherPort] = [freePort(), freePort()];
    await using nginx = startUpstream("nginx");
    await using local = startUpstream("local");
    const ports = { 8080: port, 8081: otherPort, 9001: nginx.port, 9002: local.port };
    await stage.apply(await manifest("s18_discovered_everything", ports));
    await Promise.all([stage.envoy("direct-response", "sotw"), stage.envoy("nginx", "sotw")]);
    await stage.answers(port, "OK");
    await stage.answers(otherPort, "nginx", { path: "/nginx" });
    await stage.answers(otherPort, "local");
    await Promise.all([stage.accepted("direct-response"), stage.accepted("nginx")]);
  },
);
