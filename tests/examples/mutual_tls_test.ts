/** The example mutual-tls: certificates of one's own for a discovery service and an Envoy on one machine. */
import { expect } from "expect";
import { eventually, freePort, httpGet, startEnvoy } from "../envoy/harness/mod.ts";
import { Chancery, chancery } from "../standalone/chancery.ts";
import { EXAMPLES, statesOf, textOf } from "./example_folder.ts";

const SCRIPT = new URL("mutual-tls/certificates.sh", EXAMPLES).pathname;
const hasOpenssl = await new Deno.Command("openssl", { args: ["version"], stdout: "null", stderr: "null" }).output()
  .then(({ success }) => success, () => false);

async function makeCertificates(folder: string): Promise<void> {
  const { code, stderr } = await new Deno.Command("sh", { args: [SCRIPT, folder], stdin: "null" }).output();
  if (code !== 0) throw new Error(new TextDecoder().decode(stderr));
}

Deno.test(
  "manifests/examples/mutual-tls: Envoy and server know each other by the certificates of the script, and nobody else",
  { ignore: !hasOpenssl },
  async () => {
    const port = freePort();
    const [state] = statesOf("mutual-tls");
    await using server = new Chancery({ "envoy1.yaml": textOf(state!).replaceAll("10000", String(port)) });
    const [ours, foreign] = [`${server.folder}/tls`, `${server.folder}/foreign`];
    for (const folder of [ours, foreign]) {
      await makeCertificates(folder);
      expect((await Deno.stat(`${folder}/client/tls.key`)).mode! & 0o077).toBe(0);
    }
    await server.start({
      args: [
        "--tls-cert",
        `${ours}/server/tls.crt`,
        "--tls-key",
        `${ours}/server/tls.key`,
        "--tls-ca",
        `${ours}/ca.crt`,
      ],
    });
    const start = async (tls: string) => {
      const args = ["--node-id", "envoy1", "--xds-address", `127.0.0.1:${server.xdsPort}`, "--tls-dir", tls];
      const { code, stdout, stderr } = await chancery("bootstrap", ...args);
      expect([stderr, code]).toEqual(["", 0]);
      return await startEnvoy({ bootstrap: JSON.parse(stdout) });
    };
    {
      // One that has a certificate of another authority trusts nobody here, and is not trusted.
      await using stranger = await start(`${foreign}/client`);
      await eventually(async () => {
        const counters = await stranger.stats("^cluster\\.xds_cluster\\.ssl\\.(connection_error|fail_verify_error)$");
        return [...counters.values()].some((count) => count >= 2);
      }, { what: "refused handshakes", deadlineMs: 60_000, explain: () => stranger.process.tail() });
      expect(await server.status()).toMatchObject({ nodes: [{ streams: [] }] });
    }
    await using envoy = await start(`${ours}/client`);
    await eventually(async () => (await httpGet({ port })).body === "Hello, envoy1\n", {
      what: "Envoy to answer",
      deadlineMs: 60_000,
      explain: () => envoy.process.tail(),
    });
    const opened = await server.wait("the stream in the log", () => {
      return server.log.find(({ message, node }) => message === "Stream opened" && node === "envoy1");
    });
    expect(opened["protocol"]).toBe("delta");
    expect(await envoy.stat("cluster.xds_cluster.ssl.handshake")).toBeGreaterThan(0);
  },
);
