import { expect } from "expect";
import { parseYaml } from "../../src/base/yaml/mod.ts";
import { envoyConfig, eventually, freePort, listener, startProcess, startStandalone } from "../envoy/harness/mod.ts";
import { testCases } from "../golden/cases.ts";
import { PodEnvoy, PodFolder } from "./init_manager/pod.ts";

testCases(new URL("./init_manager/testdata", import.meta.url), {
  name: "what the init manager writes is taken by Envoy",
  async run(input) {
    const { args = [], env = {} } = input as { args?: string[]; env?: Record<string, string> }; // our own files
    await using folder = await PodFolder.make();
    const { code, stderr } = await folder.initialize(args.map((arg) => arg.replace("FOLDER", folder.path)), env);
    expect([code, stderr]).toEqual([0, expect.any(String)]);
    const files = await folder.files();
    expect((await folder.validate()).text).toContain("OK");
    return JSON.parse(JSON.stringify(files).replaceAll(folder.path, "FOLDER"));
  },
});

Deno.test("S1: an init manager waits for what the server is verified by, and writes nothing when it does not come", async () => {
  await using folder = await PodFolder.make();
  const bundle = `${folder.path}/tls/bundle.crt`;
  const args = ["--xdss-host", "marin3r-ds.shop.svc", "--ca-certificate-file", bundle];
  const wait = `waiting up to 0.2 s for a certificate in "${bundle}": it is not there`;
  const { code, stderr } = await folder.initialize([...args, "--ca-certificate-timeout", "200ms"]);
  expect([code, stderr.split("\n")]).toEqual([4, [
    wait,
    `error: Cannot have Envoy verify the discovery service by "${bundle}": it is not there after 0.2 s. Mount the ConfigMap or ` +
    "Secret with the certificate of its CA in this container as well as in that of Envoy, or give --ca-certificate-timeout more time",
    "",
  ]]);
  expect(await folder.files()).toEqual({});

  const begin = async () => {
    const process = folder.start(...args, "--ca-certificate-timeout", "10m");
    await eventually(() => process.lines.length > 0, { what: "it to wait", deadlineMs: 60_000 });
    expect(process.lines).toEqual([wait.replace("0.2 s", "600 s")]);
    return process;
  };
  await using told = await begin();
  expect((await told.stop()).code).toBe(130); // not after the grace period of the pod
  expect(await folder.files()).toEqual({});

  await using patient = await begin();
  await Deno.writeTextFile(bundle, "");
  await Deno.copyFile(`${folder.path}/tls/ca.crt`, bundle);
  const { code: end } = await eventually(() => patient.ended, { what: "its end", deadlineMs: 60_000 });
  expect([end, Object.keys(await folder.files())]).toEqual([0, [
    "config.json",
    "xds_client_certificate.json",
    "xds_trusted_ca.json",
  ]]);
});

/** The command lines of init containers in what the cases below a folder give. */
function* commandLinesIn(folder: string): Generator<readonly string[]> {
  for (const { name } of Deno.readDirSync(new URL(folder, import.meta.url))) {
    const file = new URL(`${folder}/${name}/out.yaml`, import.meta.url);
    const open: unknown[] = parseYaml(Deno.readTextFileSync(file), file.pathname).documents.map(({ value }) => value);
    for (let value = open.pop(); value !== undefined; value = open.pop()) {
      if (typeof value !== "object" || value === null) continue;
      const { args, image } = value as { args?: readonly string[]; image?: unknown }; // a container, if it has both
      if (Array.isArray(args) && args[0] === "init-manager" && image !== undefined) yield args;
      else open.push(...Object.values(value).filter((one) => typeof one === "object"));
    }
  }
}

Deno.test("Envoy takes the bootstrap of every pod that the cases of injection and of EnvoyDeployments give", async () => {
  const inject = commandLinesIn("../../src/inject/testdata");
  const deployments = commandLinesIn("../../src/reconcile/envoy_deployment/testdata");
  const lines = new Set([...inject, ...deployments].map((args) => JSON.stringify(args.slice(1))));
  expect(lines.size).toBeGreaterThan(5);
  for (const line of lines) {
    await using folder = await PodFolder.make();
    const placed = line.replaceAll("/etc/envoy/tls/client", `${folder.path}/tls`)
      .replaceAll("/etc/envoy/bootstrap", `${folder.path}/bootstrap`);
    expect([line, (await folder.initialize(JSON.parse(placed))).code]).toEqual([line, 0]);
    expect([line, (await folder.validate()).code]).toEqual([line, 0]);
  }
});

Deno.test("A4, A5, S5: an Envoy is ready once it has accepted clusters and listeners, and shows what it may", async () => {
  const port = freePort();
  const config = (at: number) => envoyConfig("edge", [listener("in", { port: at, routes: { text: "hello" } })]);
  await using chancery = await startStandalone({ files: {} });
  await using envoy = await PodEnvoy.start(chancery.xdsAddress);
  await using early = await PodEnvoy.start(chancery.xdsAddress, "--readiness", "started");

  // Its own interface calls an Envoy ready that refused everything.
  await eventually(async () => /^503 .*INITIALIZING$/.test(await envoy.admin("/ready")), {
    what: "Envoy to wait",
    deadlineMs: 60_000,
  });
  expect(await envoy.ask("/ready")).toBe("refused");
  // Neither of both verifies whom it asks, and nobody else could tell.
  await eventually(
    async () => /^chancery_xds_unverified_clients{node_id="edge"} 2$/m.test((await chancery.get("/metrics")).body),
    {
      what: "clients that verify nobody to be counted",
      deadlineMs: 60_000,
    },
  );
  chancery.write("edge.yaml", [config(envoy.adminPort)]);
  await envoy.answers("/ready", "503 NO LISTENERS ACCEPTED");
  expect(await envoy.admin("/ready")).toBe("200 LIVE");
  expect(await envoy.ask("/live")).toBe("200 disabled"); // of hot restarts, which this test has switched off
  chancery.write("edge.yaml", [config(port)]);
  await envoy.answers("/ready", "200 LIVE");
  expect(await envoy.ask("/", port)).toBe("200 hello");
  // What comes later may be bad: it still does what it did.
  const refused = "/stats?filter=^listener_manager.lds.update_rejected$";
  const before = await envoy.admin(refused);
  chancery.write("edge.yaml", [config(early.adminPort)]);
  await eventually(async () => await envoy.admin(refused) !== before, { what: "a second refusal", deadlineMs: 30_000 });
  expect(await envoy.ask("/ready")).toBe("200 LIVE");

  expect((await envoy.ask("/stats/prometheus")).startsWith("200 # TYPE")).toBe(true);
  expect(await envoy.ask("/stats?filter=^server.live$")).toBe("200 server.live: 1");
  for (
    const path of [
      "/",
      "/config_dump",
      "/clusters",
      "/server_info",
      "/statsx",
      "/stats/../config_dump",
      "//config_dump",
    ]
  ) {
    expect([path, await envoy.ask(path)]).toEqual([path, "404 "]);
  }
  expect(await envoy.ask("/stats%2f..%2fconfig_dump")).toMatch(/^400/);
  const change = async (path: string, at: number) => {
    const response = await fetch(`http://127.0.0.1:${at}${path}`, { method: "POST" });
    await response.body?.cancel();
    return response.status;
  };
  for (const path of ["/healthcheck/fail", "/quitquitquit", "/stats", "/ready", "/drain_listeners"]) {
    expect([path, await change(path, envoy.statusPort)]).toEqual([path, 404]);
  }
  expect(await change("/healthcheck/fail", envoy.adminPort)).toBe(200);
  await envoy.answers("/ready", "503 DRAINING");
  expect(await envoy.ask("/live")).toBe("200 disabled");

  await early.answers("/ready", "200 LIVE");
});

Deno.test("A4: an Envoy becomes ready, too, that asks a discovery service which says nothing of what it does not have", async () => {
  const script = decodeURIComponent(new URL("./init_manager/foreign_server.ts", import.meta.url).pathname);
  await using server = startProcess({
    name: "a foreign discovery service",
    command: Deno.execPath(),
    args: ["run", "--quiet", "--allow-all", script],
  });
  const port = await eventually(() => /^port (\d+)$/.exec(server.lines[0] ?? "")?.[1], {
    what: "its port",
    deadlineMs: 30_000,
  });
  await using envoy = await PodEnvoy.start(`127.0.0.1:${port}`);
  // Runtime is never answered: Envoy goes on after 15 s, and what it got then was accepted.
  await envoy.answers("/ready", "200 LIVE");
  expect(await envoy.admin("/stats?filter=^runtime.update_success$")).toBe("200 runtime.update_success: 0");
});
