import "reflect-metadata";
import { createPublicKey, X509Certificate as NodeCertificate } from "node:crypto";
import { connect, createServer, type TLSSocket } from "node:tls";
import { X509Certificate } from "@peculiar/x509";
import { expect } from "expect";
import { alternativeNames, BACKDATE_MS, EXTENDED_KEY_USAGES, type WantedCertificate } from "../mod.ts";
import { issueCertificate, type IssuedPair, type Issuer } from "./issue.ts";
import { readPair, signerOf } from "./read.ts";

const NOW = Date.parse("2026-03-04T05:06:07.890Z");
const DAY_S = 86_400;

const CA: WantedCertificate = {
  commonName: "marin3r-ca-ds",
  names: alternativeNames(["marin3r-ca-ds"]),
  isCA: true,
  server: false,
  validFor: 1000 * DAY_S,
  algorithm: "ECDSA-P256",
};
const SERVER: WantedCertificate = {
  commonName: "marin3r-server-ds",
  names: alternativeNames(["marin3r-ds.ns.svc", "127.0.0.1", "::1"], { uris: ["spiffe://cluster/ns/a%2Fb"] }),
  isCA: false,
  server: true,
  validFor: 90 * DAY_S,
  algorithm: "ECDSA-P256",
};
const CLIENT: WantedCertificate = { ...SERVER, commonName: "client", names: alternativeNames(["c"]), server: false };

function random(count: number): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(count));
}

function issuerOf(pair: IssuedPair): Issuer {
  return { certificate: bytes(pair.certificate), key: bytes(pair.key) };
}

function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** What `openssl x509` shows, and what it says about the chain. */
async function openssl(args: string[]): Promise<{ code: number; text: string }> {
  const { code, stdout, stderr } = await new Deno.Command("openssl", { args, stdin: "null" }).output();
  return { code, text: new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr) };
}

Deno.test("S9: issueCertificate() gives key usages, identifiers and a back-dated life", async () => {
  const ca = await issueCertificate(CA, { now: NOW, random });
  const server = await issueCertificate(SERVER, { now: NOW, random, issuer: issuerOf(ca) });
  const client = await issueCertificate(CLIENT, { now: NOW, random, issuer: issuerOf(ca) });

  expect(ca.facts).toMatchObject({ isCA: true, selfSigned: true, extendedKeyUsages: [], commonName: CA.commonName });
  expect(server.facts).toMatchObject({
    names: { dns: ["marin3r-ds.ns.svc"], ips: ["127.0.0.1", "::1"], uris: ["spiffe://cluster/ns/a%2Fb"] },
    extendedKeyUsages: [EXTENDED_KEY_USAGES.serverAuth],
    notBefore: Math.floor(NOW / 1000) * 1000 - BACKDATE_MS,
    notAfter: Math.floor(NOW / 1000) * 1000 + 90 * DAY_S * 1000,
  });
  expect(client.facts.extendedKeyUsages).toEqual([EXTENDED_KEY_USAGES.clientAuth]);
  expect(signerOf(server.facts, [client.facts, ca.facts])?.fingerprint).toBe(ca.facts.fingerprint);
});

const hasOpenssl = await openssl(["version"]).then(({ code }) => code === 0, () => false);

Deno.test(
  "S9: openssl verifies what issueCertificate() makes, each for its purpose",
  { ignore: !hasOpenssl },
  async () => {
    const ca = await issueCertificate(CA, { now: NOW, random });
    const server = await issueCertificate(SERVER, { now: NOW, random, issuer: issuerOf(ca) });
    const client = await issueCertificate(CLIENT, { now: NOW, random, issuer: issuerOf(ca) });
    const directory = await Deno.makeTempDir();
    try {
      for (const [name, { certificate }] of Object.entries({ ca, server, client })) {
        await Deno.writeTextFile(`${directory}/${name}.pem`, certificate);
      }
      const shown = await openssl(["x509", "-in", `${directory}/ca.pem`, "-noout", "-text"]);
      expect(shown.text).toMatch(/Key Usage: critical\s+Certificate Sign, CRL Sign\n/);
      expect(shown.text).toMatch(/Basic Constraints: critical\s+CA:TRUE\n/);
      expect((await openssl(["x509", "-in", `${directory}/server.pem`, "-noout", "-text"])).text)
        .toMatch(/Key Usage: critical\s+Digital Signature\n/);
      const at = String(Math.floor(NOW / 1000) - 30); // somebody whose clock is half a minute behind
      for (const [name, purpose] of [["server", "sslserver"], ["client", "sslclient"]]) {
        const verify = (use: string) =>
          openssl([
            ...["verify", "-x509_strict", "-attime", at, "-purpose", use],
            ...["-CAfile", `${directory}/ca.pem`, `${directory}/${name}.pem`],
          ]);
        expect(await verify(purpose!)).toEqual({ code: 0, text: `${directory}/${name}.pem: OK\n` });
        expect((await verify(purpose === "sslserver" ? "sslclient" : "sslserver")).code).not.toBe(0);
      }
    } finally {
      await Deno.remove(directory, { recursive: true });
    }
  },
);

Deno.test("issueCertificate() certifies a given key; a certificate depends on nothing but what goes in", async () => {
  const { key } = await issueCertificate({ ...CA, algorithm: "RSA-2048" }, { now: NOW, random });
  const issue = () =>
    issueCertificate(CA, { now: NOW, random: (count) => new Uint8Array(count).fill(7), key: bytes(key) });
  expect((await issue()).certificate).toBe((await issue()).certificate); // signatures of RSA hold no chance
});

Deno.test("issueCertificate() makes serial numbers of 127 random bits, positive and never short", async () => {
  const { key } = await issueCertificate(CA, { now: NOW, random });
  for (const fill of [0x00, 0xff]) {
    const { facts } = await issueCertificate(CA, {
      now: NOW,
      random: (count) => new Uint8Array(count).fill(fill),
      key: bytes(key),
    });
    expect(facts.serialNumber).toMatch(fill === 0 ? /^40(00){15}$/ : /^7f(ff){15}$/);
  }
});

for (const algorithm of ["RSA-2048", "RSA-3072"] as const) {
  Deno.test(`issueCertificate() makes ${algorithm} on request, with the usage that RSA needs`, async () => {
    const pair = await issueCertificate({ ...SERVER, algorithm }, { now: NOW, random });
    const key = createPublicKey(pair.key);
    expect(key.asymmetricKeyType).toBe("rsa");
    expect(Number(key.asymmetricKeyDetails?.modulusLength)).toBe(Number(algorithm.slice(4)));
    const parsed = new X509Certificate(pair.certificate);
    const usage = parsed.getExtension("2.5.29.15")!; // a bit string: digitalSignature and keyEncipherment
    expect(new Uint8Array(usage.value).toHex()).toBe("030205a0");
  });
}

Deno.test("issueCertificate() never lets a certificate outlive its issuer", async () => {
  const ca = await issueCertificate({ ...CA, validFor: DAY_S }, { now: NOW, random });
  const leaf = await issueCertificate(SERVER, { now: NOW, random, issuer: issuerOf(ca) });
  expect(leaf.facts.notAfter).toBe(ca.facts.notAfter);
  const later = { now: NOW + 2 * DAY_S * 1000, random, issuer: issuerOf(ca) };
  await expect(issueCertificate(SERVER, later)).rejects.toThrow(
    'Cannot issue "marin3r-server-ds": its issuer has expired',
  );
});

Deno.test("issueCertificate() shows the intermediates between a certificate and the root", async () => {
  const root = await issueCertificate(CA, { now: NOW, random });
  const sub = await issueCertificate({ ...CA, commonName: "sub" }, { now: NOW, random, issuer: issuerOf(root) });
  const leaf = await issueCertificate(SERVER, { now: NOW, random, issuer: issuerOf(sub) });
  expect(sub.certificate.match(/BEGIN/g)).toHaveLength(1);
  expect(leaf.certificate).toBe(leaf.facts.pem + sub.facts.pem);
});

Deno.test("issueCertificate() names the issuer byte by byte as its certificate has it", async () => {
  const ca = await issueCertificate({ ...CA, commonName: "Zürich, O=x" }, { now: NOW, random });
  const leaf = await issueCertificate(SERVER, { now: NOW, random, issuer: issuerOf(ca) });
  const subject = new Uint8Array(new X509Certificate(ca.certificate).subjectName.toArrayBuffer()).toHex();
  expect(new Uint8Array(new X509Certificate(leaf.certificate).issuerName.toArrayBuffer()).toHex()).toBe(subject);
  expect(ca.facts.commonName).toBe("Zürich, O=x");
});

Deno.test("issueCertificate() refuses an issuer that is no CA, and one it cannot read, without repeating its key", async () => {
  const leaf = await issueCertificate(SERVER, { now: NOW, random });
  await expect(issueCertificate(SERVER, { now: NOW, random, issuer: issuerOf(leaf) })).rejects.toThrow(
    "Cannot sign with the issuer: its certificate is no CA",
  );
  const ca = await issueCertificate(CA, { now: NOW, random });
  const broken = { certificate: bytes(ca.certificate), key: bytes("-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n") };
  await expect(issueCertificate(SERVER, { now: NOW, random, issuer: broken })).rejects.toThrow(
    "Cannot use tls.key of the issuer: it is no private key that can be read",
  );
});

Deno.test("certificates that were issued make a mutual TLS connection, and strangers do not", async () => {
  const now = Date.now();
  const ca = await issueCertificate(CA, { now, random });
  const other = await issueCertificate(CA, { now, random });
  const server = await issueCertificate({ ...SERVER, validFor: 60 }, { now, random, issuer: issuerOf(ca) });
  const client = await issueCertificate({ ...CLIENT, validFor: 60 }, { now, random, issuer: issuerOf(ca) });
  expect(await handshake({ server, client, ca, name: "marin3r-ds.ns.svc" })).toBe("client");
  await expect(handshake({ server, client, ca, name: "elsewhere" })).rejects.toThrow();
  await expect(handshake({ server, client, ca: other, name: "marin3r-ds.ns.svc" })).rejects.toThrow();
});

/** Connects, and gives the common name that the server saw. */
async function handshake(
  options: { server: IssuedPair; client: IssuedPair; ca: IssuedPair; name: string },
): Promise<string> {
  const { server, client, ca, name } = options;
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const listening = Promise.withResolvers<void>();
  const sockets: TLSSocket[] = [];
  const listener = createServer({
    cert: server.certificate,
    key: server.key,
    ca: ca.certificate,
    requestCert: true,
    rejectUnauthorized: true,
  }, (socket) => {
    sockets.push(socket);
    socket.on("error", () => {});
    const raw = socket.getPeerCertificate().raw;
    resolve(new X509Certificate(new Uint8Array(raw)).subjectName.getField("CN")[0]!);
  });
  listener.on("tlsClientError", reject);
  listener.listen(0, "127.0.0.1", () => listening.resolve());
  await listening.promise;
  const { port } = listener.address() as { port: number }; // an address of TCP
  const socket = connect({
    ...{ host: "127.0.0.1", port, servername: name },
    ...{ ca: ca.certificate, cert: client.certificate, key: client.key },
  });
  sockets.push(socket);
  socket.on("error", reject);
  try {
    return await promise;
  } finally {
    for (const one of sockets) one.destroy();
    await new Promise<void>((done) => listener.close(() => done()));
  }
}

Deno.test("readPair() reads back what was issued", async () => {
  const ca = await issueCertificate(CA, { now: NOW, random });
  const leaf = await issueCertificate(SERVER, { now: NOW, random, issuer: issuerOf(ca) });
  const data: Record<string, string> = { "tls.crt": leaf.certificate, "tls.key": leaf.key, "ca.crt": ca.certificate };
  const reading = readPair((key) => bytes(data[key]!));
  expect(reading).toEqual({ kind: "pair", chain: [leaf.facts], keyMatches: true, trusted: [ca.facts] });
  expect(new NodeCertificate(leaf.certificate).checkHost("marin3r-ds.ns.svc")).toBe("marin3r-ds.ns.svc");
});
