import { expect } from "expect";
import { createAuthority } from "../certificates.ts";
import {
  envoyConfig,
  eventually,
  type Fields,
  freePort,
  httpGet,
  listener,
  type RunningEnvoy,
  startEnvoy,
} from "../envoy/harness/mod.ts";
import { Chancery, chancery } from "./chancery.ts";

/** An EnvoyConfig whose answer is a text. */
function edge(port: number, text: string): Fields[] {
  return [envoyConfig("edge", [listener("in", { port, routes: { text } })])];
}

async function startEdge(...args: string[]): Promise<RunningEnvoy> {
  const { code, stdout, stderr } = await chancery("bootstrap", "--node-id", "edge", ...args);
  expect([stderr, code]).toEqual(["", 0]);
  return await startEnvoy({ bootstrap: JSON.parse(stdout) });
}

async function answers(
  envoy: RunningEnvoy,
  { port, text, withinMs = 30_000 }: { port: number; text: string; withinMs?: number },
): Promise<void> {
  await eventually(async () => (await httpGet({ port })).body === text, {
    what: `Envoy to answer "${text}"`,
    deadlineMs: withinMs,
    explain: () => envoy.process.tail(),
  });
}

for (const mode of ["delta", "sotw"]) {
  Deno.test(`an Envoy is served over a Unix socket (${mode})`, async () => {
    const port = freePort();
    await using server = new Chancery({ "edge.yaml": edge(port, "one") });
    const address = `unix:${server.folder}/xds.sock`;
    await server.start({ args: ["--xds-bind", address] });
    expect((await Deno.stat(`${server.folder}/xds.sock`)).mode! & 0o077).toBe(0);
    await using envoy = await startEdge("--xds-address", address, "--mode", mode);
    await answers(envoy, { port, text: "one" });
    await server.process.kill();
    server.write("edge.yaml", edge(port, "two"));
    await server.start({ args: ["--xds-bind", address] }); // where a dead process left its socket
    await answers(envoy, { port, text: "two" });
  });

  Deno.test(`I8: an Envoy is back within 5 s, however long the server was away (${mode})`, async () => {
    const port = freePort();
    await using server = new Chancery({ "edge.yaml": edge(port, "one") });
    await server.start();
    await using envoy = await startEdge("--xds-address", `127.0.0.1:${server.xdsPort}`, "--mode", mode);
    await answers(envoy, { port, text: "one" });
    await server.process.kill();
    server.write("edge.yaml", edge(port, "two"));
    // Envoy's own back-off would be beyond 10 s by then.
    await eventually(async () => await envoy.stat("cluster.xds_cluster.upstream_cx_connect_fail") >= 8, {
      what: "Envoy to try in vain",
      deadlineMs: 40_000,
    });
    await server.start();
    await answers(envoy, { port, text: "two", withinMs: 5_000 });
  });
}

Deno.test("W10: a refusal is in status, log and metrics, in Envoy's own words, until it is mended", async () => {
  const port = freePort();
  const resources = [listener("in", { port, routes: { cluster: "nowhere" } })];
  await using server = new Chancery({ "edge.yaml": [envoyConfig("edge", resources)] });
  await server.start();
  await using envoy = await startEdge("--xds-address", `127.0.0.1:${server.xdsPort}`);
  const words = "unknown cluster 'nowhere'";
  // There is nothing to go back to, so it stays refused.
  await server.wait("the refusal", async () => (await server.get("/status")).body.includes(words));
  expect(server.log.find((line) => line["stream"] !== undefined && line["revision"] !== undefined))
    .toMatchObject({ level: "warn", node: "edge", type: "LDS" });
  expect(server.output).toContain(words);
  const metrics = async () => (await server.get("/metrics")).body;
  expect(await metrics()).toMatch(/marin3r_xdss_discovery_nack_total\{.*Listener",pod_name="unknown"\} 1\n/);
  expect(await metrics()).toContain('chancery_xds_rejected{node_id="edge",resource_type="LDS"} 1\n');
  server.write("edge.yaml", edge(port, "mended"));
  await answers(envoy, { port, text: "mended" });
  await server.wait("the gauge to be gone", async () => !(await metrics()).includes("chancery_xds_rejected{"));
});

Deno.test("an Envoy takes new certificates without a restart, and so does the server", async () => {
  const [old, next] = [await createAuthority(), await createAuthority()];
  const port = freePort();
  await using server = new Chancery({ "edge.yaml": edge(port, "one") });
  /** Both ends' directories, filled by moving files into place. */
  async function install(authority: typeof old): Promise<void> {
    for (const end of ["server", "client"]) {
      const issued = await authority.issue({ commonName: end, ips: ["127.0.0.1"] });
      const content = { "tls.crt": issued.cert, "tls.key": issued.key, "ca.crt": authority.cert };
      await Deno.mkdir(`${server.folder}/${end}`, { recursive: true });
      for (const [name, text] of Object.entries(content)) {
        await Deno.writeTextFile(`${server.folder}/.new`, text);
        await Deno.rename(`${server.folder}/.new`, `${server.folder}/${end}/${name}`);
      }
    }
  }
  await install(old);
  const files = ["--tls-cert", "tls.crt", "--tls-key", "tls.key", "--tls-ca", "ca.crt"];
  await server.start({ args: files.map((word) => (word.startsWith("--") ? word : `${server.folder}/server/${word}`)) });
  const bootstrapArgs = ["--xds-address", `127.0.0.1:${server.xdsPort}`, "--tls-dir", `${server.folder}/client`];
  await using envoy = await startEdge(...bootstrapArgs);
  await answers(envoy, { port, text: "one" });

  await install(next);
  await server.wait("the server's new certificate", async () => {
    const { tls } = (await server.status())["xds"] as { tls: { fingerprint: string } }; // its schema says so
    return tls.fingerprint === await fingerprintOf(`${server.folder}/server/tls.crt`);
  });
  // What is connected stays connected …
  server.write("edge.yaml", edge(port, "two"));
  await answers(envoy, { port, text: "two" });
  expect(await envoy.stat("cluster.xds_cluster.upstream_cx_total")).toBe(1);
  // … and a new connection is possible with the new authority only.
  await server.process.kill();
  server.write("edge.yaml", edge(port, "three"));
  await server.start({ args: files.map((word) => (word.startsWith("--") ? word : `${server.folder}/server/${word}`)) });
  await answers(envoy, { port, text: "three" });
});

Deno.test("S1: an Envoy takes no configuration from a server with another name or of another authority", async () => {
  const [ours, foreign] = [await createAuthority(), await createAuthority()];
  const client = await ours.issue({ commonName: "client" });
  for (
    const impostor of [
      await ours.issue({ commonName: "x", ips: ["127.0.0.2"] }),
      await foreign.issue({ commonName: "x", ips: ["127.0.0.1"] }),
    ]
  ) {
    const port = freePort();
    await using server = new Chancery({ "edge.yaml": edge(port, "one") });
    const put = (name: string, text: string) => Deno.writeTextFile(`${server.folder}/${name}`, text);
    await Promise.all([
      put("impostor.crt", impostor.cert),
      put("impostor.key", impostor.key),
      put("ca.crt", ours.cert),
    ]);
    await Promise.all([put("tls.crt", client.cert), put("tls.key", client.key)]);
    const in_ = (name: string) => `${server.folder}/${name}`;
    await server.start({
      args: ["--tls-cert", in_("impostor.crt"), "--tls-key", in_("impostor.key"), "--tls-ca", in_("ca.crt")],
    });
    await using envoy = await startEdge("--xds-address", `127.0.0.1:${server.xdsPort}`, "--tls-dir", server.folder);
    await eventually(
      async () =>
        await envoy.stat("cluster.xds_cluster.ssl.connection_error") +
            await envoy.stat("cluster.xds_cluster.ssl.fail_verify_san") +
            await envoy.stat("cluster.xds_cluster.ssl.fail_verify_error") >= 2,
      { what: "refused handshakes" },
    );
    expect(await server.status()).toMatchObject({ nodes: [{ streams: [] }] });
  }
});

async function fingerprintOf(path: string): Promise<string> {
  const { X509Certificate } = await import("node:crypto");
  return new X509Certificate(await Deno.readTextFile(path)).fingerprint256;
}
