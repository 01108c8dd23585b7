/** `chancery standalone --with-envoy`, with the real Envoy in `$PATH` and with stand-ins that fail. */
import { expect } from "expect";
import { createAuthority } from "../certificates.ts";
import { endpointSlice, envoyConfig, type Fields, listener, tlsSecret, tlsSecretItem } from "../envoy/harness/mod.ts";
import { Chancery } from "./chancery.ts";
import { XdsClient } from "./xds_client.ts";

function cluster(address: string): Fields {
  const socket_address = { address, port_value: 80 };
  const endpoints = [{ lb_endpoints: [{ endpoint: { address: { socket_address } } }] }];
  const load_assignment = { cluster_name: "api", endpoints };
  return { type: "cluster", value: { name: "api", type: "STATIC", connect_timeout: "1s", load_assignment } };
}

function edge(address: string, text = "one"): Fields[] {
  return [envoyConfig("edge", [cluster(address), listener("in", { port: 10000, routes: { text } })])];
}

async function envoyFindings(server: Chancery): Promise<readonly Fields[]> {
  return (await server.findings()).filter(({ rule }) => String(rule).startsWith("envoy"));
}

/** An Envoy that tells a version, notes each question in the file `asked`, and then does `what`. */
function standIn(server: Chancery, what: string): string {
  const file = `${server.folder}/envoy`;
  const version = 'if [ "$1" = --version ]; then echo "envoy version: fake/1.40.0"; exit 0; fi';
  Deno.writeTextFileSync(file, `#!/bin/sh\n${version}\necho . >> ${server.folder}/asked\n${what}\n`, { mode: 0o755 });
  return file;
}

function timesAsked(server: Chancery): number {
  try {
    return Deno.readTextFileSync(`${server.folder}/asked`).split("\n").length - 1;
  } catch {
    return 0;
  }
}

Deno.test("what a real Envoy would refuse is told at its place, while it is published, and solved when it is mended", async () => {
  await using server = new Chancery({ "edge.yaml": edge("127.0.0.1") });
  await server.start({ args: ["--with-envoy"] });
  await using client = new XdsClient(server.xdsPort);
  expect((await client.next("LDS")).bytes).toContain("one");
  server.write("edge.yaml", edge("nowhere", "two"));
  expect((await client.next("LDS")).bytes).toContain("two");
  const told = await server.wait("the opinion", async () => (await envoyFindings(server))[0]);
  expect(told).toMatchObject({
    severity: "error",
    rule: "envoy",
    about: "EnvoyConfig/default/edge",
    path: "spec.resources[0].value",
    file: `${server.config}/edge.yaml`,
    line: expect.any(Number),
    message: expect.stringContaining('Envoy refuses cluster "api": malformed IP address: nowhere'),
  });
  server.write("edge.yaml", edge("127.0.0.2", "three"));
  await server.wait("no opinion", async () => (await envoyFindings(server)).length === 0);
  const lines = server.log.filter((line) => line["rule"] === "envoy").map((line) => line["level"]);
  expect(lines).toEqual(["error", "info"]);
  expect([...Deno.readDirSync(`${server.data}/envoy-validate`)]).toHaveLength(3);
});

Deno.test("an Envoy that crashes is a finding: everything is served all the same, and it is asked once for each revision", async () => {
  await using server = new Chancery({ "edge.yaml": edge("127.0.0.1") });
  await server.start({ args: [`--with-envoy=${standIn(server, "kill -SEGV $$")}`] });
  await using client = new XdsClient(server.xdsPort);
  expect((await client.next("LDS")).bytes).toContain("one");
  const told = await server.wait("the crash", async () => {
    const all = await envoyFindings(server);
    return all.length === 2 && all;
  });
  expect(told.map(({ severity, rule, path }) => `${severity} ${rule} ${path}`)).toEqual([
    "warning envoy-crash spec.resources[0].value",
    "warning envoy-crash spec.resources[1].value",
  ]);
  const before = timesAsked(server);
  Deno.writeTextFileSync(`${server.config}/other.yaml`, JSON.stringify(envoyConfig("edge-2", [])));
  await server.wait("the other config", async () => JSON.stringify(await server.status()).includes('"edge-2"'));
  expect(timesAsked(server)).toBe(before);
  server.write("edge.yaml", edge("127.0.0.1", "two"));
  expect((await client.next("LDS")).bytes).toContain("two");
  await server.wait("another question", () => timesAsked(server) > before);
});

Deno.test("a Secret that comes or is rotated is shown to Envoy, and endpoints that come and go are not", async () => {
  const slices = {
    clusterName: "e",
    targetPort: "http",
    selector: { matchLabels: { "kubernetes.io/service-name": "e" } },
  };
  const resources = [tlsSecretItem("edge"), { type: "endpoint", generateFromEndpointSlices: slices }];
  await using server = new Chancery({
    "edge.yaml": [envoyConfig("edge", resources)],
    "slice.yaml": [endpointSlice("e", 80, ["10.0.0.1"])],
  });
  const copy = `for f; do :; done; cp "$f" ${server.folder}/last; exit 0`;
  await server.start({ args: [`--with-envoy=${standIn(server, copy)}`] });
  await using client = new XdsClient(server.xdsPort, { names: { EDS: ["e"] } });
  await server.wait("the first question", () => timesAsked(server) === 1);
  const authority = await createAuthority();
  const rotate = async () => {
    const { cert, key } = await authority.issue({ commonName: "edge" });
    server.write("secret.yaml", [tlsSecret("edge", { cert, key })]);
    const forms = [btoa(cert), JSON.stringify(cert).slice(1, -1)];
    await server.wait("the certificate to be shown", async () => {
      const text = await Deno.readTextFile(`${server.folder}/last`);
      return forms.some((form) => text.includes(form));
    });
  };
  await rotate();
  expect(timesAsked(server)).toBe(2);
  server.write("slice.yaml", [endpointSlice("e", 80, ["10.0.0.2"])]);
  await server.wait("the endpoint", async () => (await client.next("EDS")).bytes.includes("10.0.0.2"));
  await rotate(); // questions are asked one after the other: one about the endpoint would be counted by now
  expect(timesAsked(server)).toBe(3);
  expect(await envoyFindings(server)).toEqual([]);
});

Deno.test("an Envoy that hangs holds up neither a publication nor the end, and leaves nothing behind", async () => {
  await using server = new Chancery({ "edge.yaml": edge("127.0.0.1") });
  const spy = `for f; do :; done; echo "$f" > ${server.folder}/shown; echo $$ > ${server.folder}/pid; exec sleep 600`;
  await server.start({ args: [`--with-envoy=${standIn(server, spy)}`] });
  await server.wait("the question", () => timesAsked(server) === 1);
  await using client = new XdsClient(server.xdsPort);
  expect((await client.next("LDS")).bytes).toContain("one");
  server.write("edge.yaml", edge("127.0.0.1", "two"));
  expect((await client.next("LDS")).bytes).toContain("two");
  const pid = await server.wait(
    "the process",
    () =>
      Deno.readTextFile(`${server.folder}/pid`).then(
        (text) => text.endsWith("\n") && text.trim(),
        () => false as const,
      ),
  );
  const shown = Deno.readTextFileSync(`${server.folder}/shown`).trim();
  expect(JSON.parse(Deno.readTextFileSync(shown))).toBeTruthy();
  await client[Symbol.asyncDispose]();
  server.process.signal("SIGTERM");
  expect(await server.ended()).toBe(0);
  expect(() => Deno.statSync(`/proc/${pid}`)).toThrow(Deno.errors.NotFound);
  expect(() => Deno.statSync(shown)).toThrow(Deno.errors.NotFound);
});

Deno.test("without the Envoy that is named everything is served, and its absence is a finding", async () => {
  await using server = new Chancery({ "edge.yaml": edge("127.0.0.1") });
  await server.start({ args: [`--with-envoy=${server.folder}/nothing`] });
  await using client = new XdsClient(server.xdsPort);
  expect((await client.next("LDS")).bytes).toContain("one");
  const told = await server.wait("the finding", async () => (await envoyFindings(server))[0]);
  expect(told).toMatchObject({ severity: "warning", rule: "envoy-unavailable", about: `${server.folder}/nothing` });
});
