import { expect } from "expect";
import { connect, type ConnectionOptions } from "node:tls";
import { ChanceryError } from "../../base/mod.ts";
import { type Authority, createAuthority, type IssuedCertificate } from "../../../tests/certificates.ts";
import { serveXds, type TlsMaterial } from "./mod.ts";
import { ADS_DELTA, ADS_SOTW, mutualTls, TestClient } from "./testing/client.ts";
import { FRAME, frame, PREFACE, RawConnection } from "./testing/raw.ts";
import { EchoHandler } from "./testing/echo.ts";

const BIND = { host: "127.0.0.1", port: 0 };

interface Parties {
  readonly ca: Authority;
  readonly tls: TlsMaterial;
  readonly client: IssuedCertificate;
}

async function parties(): Promise<Parties> {
  const ca = await createAuthority();
  const server = await ca.issue({ commonName: "server 1", dns: ["localhost"], ips: ["127.0.0.1"] });
  const client = await ca.issue({
    commonName: "envoy",
    dns: ["envoy.example", "a, DNS:admin"],
    uris: ["spiffe://mesh/ns/a", "spiffe://mesh/x, URI:spiffe://mesh/admin"],
  });
  return { ca, client, tls: { certificate: server.cert, privateKey: server.key, clientCa: ca.cert } };
}

/** The common name of the certificate that a new connection is shown. */
function shownCertificate(port: number, { ca, client }: Parties): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(
      { host: "127.0.0.1", port, servername: "localhost", ca: ca.cert, ...client, ALPNProtocols: ["h2"] },
      () => {
        const name = socket.getPeerCertificate().subject?.CN;
        socket.once("close", () => resolve(String(name)));
        socket.destroy();
      },
    );
    socket.once("error", reject);
  });
}

/** Whether a connection gets as far as the server's SETTINGS; without options it tries plain text. */
async function admitted(port: number, tls?: ConnectionOptions): Promise<boolean> {
  await using raw = new RawConnection(port, tls);
  raw.send(PREFACE, frame(FRAME.settings));
  await raw.waitFor(() => raw.closed || raw.frames.length > 0);
  return raw.frames.some((f) => f.type === FRAME.settings);
}

Deno.test("Mutual TLS tells the handler the names of the client's certificate, each as one", async () => {
  const { ca, tls, client: own } = await parties();
  const handler = new EchoHandler();
  const server = await serveXds({ bind: BIND, handler, tls });
  {
    using client = new TestClient(`localhost:${server.port}`, { credentials: mutualTls(ca.cert, own) });
    const stream = client.open(ADS_SOTW);
    stream.send("x");
    await stream.texts(1);
    const certificate = handler.streams[0]?.call.peer.certificate;
    expect(certificate).toEqual({
      subject: "CN=envoy",
      names: [
        "envoy.example",
        "a, DNS:admin",
        "spiffe://mesh/ns/a",
        "spiffe://mesh/x, URI:spiffe://mesh/admin",
        "envoy",
      ],
      uris: ["spiffe://mesh/ns/a", "spiffe://mesh/x, URI:spiffe://mesh/admin"],
      fingerprint: expect.stringMatching(/^([0-9A-F]{2}:){31}[0-9A-F]{2}$/),
    });
    stream.halfClose();
    await stream.status;
  }
  await server.close();
});

Deno.test("Mutual TLS turns away clients without a certificate, of another authority, or in plain text", async () => {
  const { ca, tls, client } = await parties();
  const stranger = await createAuthority();
  const handler = new EchoHandler();
  const server = await serveXds({ bind: BIND, handler, tls });
  const expired = await ca.issue({ commonName: "old", notAfter: new Date(Date.now() - 1000) });
  const outsider = await stranger.issue({ commonName: "envoy" });
  expect(await admitted(server.port, { ca: ca.cert, ...client })).toBe(true);
  expect(await admitted(server.port, { ca: ca.cert })).toBe(false);
  expect(await admitted(server.port, { ca: ca.cert, ...outsider })).toBe(false);
  expect(await admitted(server.port, { ca: ca.cert, ...expired })).toBe(false);
  expect(await admitted(server.port)).toBe(false);
  expect(handler.streams).toEqual([]);
  await server.close();
});

Deno.test("updateTls() gives new connections the new certificate while a stream lives on", async () => {
  const all = await parties();
  const { ca, tls, client: own } = all;
  const server = await serveXds({ bind: BIND, handler: new EchoHandler(), tls });
  {
    using client = new TestClient(`localhost:${server.port}`, { credentials: mutualTls(ca.cert, own) });
    const stream = client.open(ADS_DELTA);
    stream.send("before");
    await stream.texts(1);
    expect(await shownCertificate(server.port, all)).toBe("server 1");
    const next = await ca.issue({ commonName: "server 2", dns: ["localhost"] });
    expect(server.updateTls({ ...tls, certificate: next.cert, privateKey: next.key })).toEqual([]);
    expect(await shownCertificate(server.port, all)).toBe("server 2");
    stream.send("after");
    expect(await stream.texts(2)).toEqual(["echo:before", "echo:after"]);
    stream.halfClose();
    expect((await stream.status).code).toBe(0);
  }
  await server.close();
});

Deno.test("updateTls() changes which clients may come", async () => {
  const { ca, tls, client: own } = await parties();
  const other = await createAuthority("Other CA");
  const otherOwn = await other.issue({ commonName: "other" });
  const server = await serveXds({ bind: BIND, handler: new EchoHandler(), tls });
  const both = () =>
    Promise.all([own, otherOwn].map((certificate) => admitted(server.port, { ca: ca.cert, ...certificate })));
  expect(await both()).toEqual([true, false]);
  server.updateTls({ ...tls, clientCa: `${ca.cert}${other.cert}` });
  expect(await both()).toEqual([true, true]);
  server.updateTls({ ...tls, clientCa: other.cert });
  expect(await both()).toEqual([false, true]);
  await server.close();
});

Deno.test("updateTls() refuses what cannot be used, says why without a key's bytes, and keeps the old", async () => {
  const all = await parties();
  const { ca, tls } = all;
  const other = await ca.issue({ commonName: "other" });
  const server = await serveXds({ bind: BIND, handler: new EchoHandler(), tls });
  const secret = tls.privateKey.split("\n")[1] ?? "";
  const cutKey = tls.privateKey.replace("PRIVATE KEY-----\n", "PRIVATE KEY-----\n!!");
  const cases: [Partial<TlsMaterial>, string][] = [
    [{ certificate: "garbage" }, 'Cannot read the server certificate: there is no PEM block "CERTIFICATE"'],
    [
      { certificate: "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n" },
      "Cannot read the server certificate: certificate 1 is not valid",
    ],
    [{ privateKey: cutKey }, "Cannot read the private key: it is no unencrypted PEM key"],
    [{ privateKey: other.key }, "The private key does not belong to the server certificate"],
    [{ clientCa: "" }, 'Cannot read the client CA: there is no PEM block "CERTIFICATE"'],
  ];
  for (const [change, message] of cases) {
    const findings = server.updateTls({ ...tls, ...change });
    expect(findings).toMatchObject([{ severity: "error", message }]);
    expect(JSON.stringify(findings)).not.toContain(secret);
    expect(await shownCertificate(server.port, all)).toBe("server 1");
  }
  await server.close();
});

Deno.test("updateTls() takes an expired certificate with a warning", async () => {
  const { ca, tls } = await parties();
  const old = await ca.issue({ commonName: "old", notAfter: new Date(Date.now() - 1000) });
  const server = await serveXds({ bind: BIND, handler: new EchoHandler(), tls });
  const findings = server.updateTls({ ...tls, certificate: old.cert, privateKey: old.key });
  expect(findings).toMatchObject([{ severity: "warning", path: ["certificate"] }]);
  expect(findings[0]?.message).toMatch(/^The server certificate "CN=old" expired on /);
  await server.close();
});

Deno.test("serveXds() does not start with material that cannot be used", async () => {
  const { tls } = await parties();
  const failed = await serveXds({ bind: BIND, handler: new EchoHandler(), tls: { ...tls, privateKey: "" } }).catch((
    e,
  ) => e);
  expect(failed).toBeInstanceOf(ChanceryError);
  expect(failed.message).toBe("Cannot serve TLS: Cannot read the private key: it is no unencrypted PEM key");
});
