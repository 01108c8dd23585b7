import { expect } from "expect";
import { type Authority, createAuthority } from "../certificates.ts";
import { envoyConfig, type Fields, listener } from "../envoy/harness/mod.ts";
import { Chancery } from "./chancery.ts";
import { type ClientTls, XdsClient } from "./xds_client.ts";

function edge(text: string): Fields[] {
  return [envoyConfig("edge", [listener("in", { port: 10000, routes: { text } })])];
}

async function clientTls(authority: Authority): Promise<ClientTls> {
  return { ca: authority.cert, ...await authority.issue({ commonName: "client" }) };
}

/** The first byte that comes, `null` at the end. */
async function firstByte(connection: Deno.Conn): Promise<number | null> {
  const buffer = new Uint8Array(1);
  return await connection.read(buffer) === null ? null : buffer[0]!;
}

/** Moves the three files into place, as a certificate tool does. */
async function install(server: Chancery, content: { cert: string; key: string; ca: string }): Promise<string[]> {
  const dir = `${server.folder}/tls`;
  await Deno.mkdir(dir, { recursive: true });
  for (const [name, text] of [["tls.crt", content.cert], ["tls.key", content.key], ["ca.crt", content.ca]] as const) {
    await Deno.writeTextFile(`${dir}/.${name}`, text, { mode: 0o600 });
    await Deno.rename(`${dir}/.${name}`, `${dir}/${name}`);
  }
  return ["--tls-cert", `${dir}/tls.crt`, "--tls-key", `${dir}/tls.key`, "--tls-ca", `${dir}/ca.crt`];
}

Deno.test("A2, A10, W28: certificates change, and vanish, under a running server without a stream being dropped", async () => {
  const old = await createAuthority();
  const next = await createAuthority();
  await using server = new Chancery({ "edge.yaml": edge("one") });
  const dns = ["localhost"];
  const args = await install(server, { ...await old.issue({ commonName: "old", dns }), ca: old.cert + next.cert });
  await server.start({ args });
  await using early = new XdsClient(server.xdsPort, { tls: await clientTls(old) });
  await early.next("LDS");
  expect(await server.status()).toMatchObject({ xds: { tls: { subject: "CN=old" } } });

  // Garbage is refused, said, and the old certificate stays.
  await install(server, { cert: "no certificate", key: "no key", ca: old.cert });
  await server.wait("the refusal", async () => (await server.findings()).some((one) => one["severity"] === "error"));
  expect(await server.status()).toMatchObject({ xds: { tls: { subject: "CN=old" } } });
  {
    await using late = new XdsClient(server.xdsPort, { tls: await clientTls(old) });
    expect((await late.next("LDS")).bytes).toContain("one");
  }

  // Files that cannot be read for a while end nothing either.
  await Deno.remove(`${server.folder}/tls`, { recursive: true });
  await server.wait("the missing file", async () => JSON.stringify(await server.findings()).includes("no such file"));
  expect([(await server.get("/healthz")).status, (await server.get("/readyz")).status]).toEqual([200, 200]);
  {
    await using late = new XdsClient(server.xdsPort, { tls: await clientTls(old) });
    expect((await late.next("LDS")).bytes).toContain("one");
  }

  await install(server, { ...await next.issue({ commonName: "next", dns }), ca: old.cert + next.cert });
  await server.wait("the new certificate", async () => JSON.stringify(await server.status()).includes("CN=next"));
  expect(await server.findings()).toEqual([]);
  await using late = new XdsClient(server.xdsPort, { tls: await clientTls(next) });
  expect((await late.next("LDS")).bytes).toContain("one");

  expect(early.broken).toBeUndefined();
  server.write("edge.yaml", edge("two"));
  expect((await early.next("LDS")).bytes).toContain("two");
  expect((await late.next("LDS")).bytes).toContain("two");
  expect((await server.get("/metrics")).body).toMatch(/chancery_tls_reloads_total\{result="refused"\} [1-9]/);
});

Deno.test("a client without a certificate of the right authority gets nothing", async () => {
  const authority = await createAuthority();
  await using server = new Chancery({ "edge.yaml": edge("one") });
  const server1 = await authority.issue({ commonName: "server", dns: ["localhost"] });
  await server.start({ args: await install(server, { ...server1, ca: authority.cert }) });
  const stranger = await (await createAuthority()).issue({ commonName: "client" });
  const target = { hostname: "localhost", port: server.xdsPort, caCerts: [authority.cert] };
  for (const client of [{}, { cert: stranger.cert, key: stranger.key }]) {
    using connection = await Deno.connectTls({ ...target, ...client, alpnProtocols: ["h2"] });
    // With TLS 1.3 the refusal comes after the client's side of the handshake is done.
    await expect(firstByte(connection)).rejects.toThrow(/alert|eof|reset/i);
  }
  using plain = await Deno.connect({ hostname: "127.0.0.1", port: server.xdsPort });
  await plain.write(new TextEncoder().encode("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"));
  expect(await firstByte(plain).catch(() => null)).not.toBe(0); // no HTTP/2 frame of type SETTINGS comes back
  expect(await server.status()).toMatchObject({ nodes: [{ streams: [] }] });
});

Deno.test("a standalone does not start with a certificate that cannot be used", async () => {
  await using server = new Chancery({ "edge.yaml": edge("one") });
  await server.start({ args: await install(server, { cert: "x", key: "y", ca: "z" }), unready: true });
  expect(await server.ended()).toBe(2);
  expect(server.output).toContain("error: Cannot use the TLS files: ");
  await Deno.remove(`${server.folder}/tls/ca.crt`);
  const dir = `${server.folder}/tls`;
  const args = ["--tls-cert", `${dir}/tls.crt`, "--tls-key", `${dir}/tls.key`, "--tls-ca", `${dir}/ca.crt`];
  await server.start({ args, unready: true });
  expect(await server.ended()).toBe(2);
  expect(server.output).toContain(`Cannot read "${dir}/ca.crt": there is no such file`);
});
