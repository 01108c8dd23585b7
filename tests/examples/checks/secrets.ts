/** Examples in which an Envoy gets secrets, among other things. */
import { expect } from "expect";
import { endpointSlice, httpGet, startUpstream, tlsSecret } from "../../envoy/harness/mod.ts";
import { Browser } from "../browser.ts";
import { Example } from "../example.ts";
import type { Scene } from "./check.ts";

/** The Secret of a DiscoveryServiceCertificate, for whoever asks this machine. */
async function made({ authority }: Scene, secret: string, dns: readonly string[] = []) {
  const certificate = await authority.issue({ commonName: secret, dns, ips: ["127.0.0.1"] });
  return tlsSecret(secret, { ...certificate, ca: authority.cert });
}

/** S3 and S4 */
export async function tlsOffloading(scene: Scene): Promise<void> {
  await using application = startUpstream("application");
  const certificate = (name: string) => made(scene, "tls-offloading", [name]);
  await using example = await Example.open("tls-offloading", scene.chancery, {
    ports: { 8080: application.port },
    madeByCluster: [await certificate("first.example.com")],
  });
  const shown = (serverName: string) =>
    example.wait(`the certificate of ${serverName}`, async () => {
      const tls = { serverName, caCerts: [scene.authority.cert] };
      const { body, headers } = await httpGet({ port: example.port(8443), tls });
      return body === "application" && headers.get("server") === "envoy";
    });
  await shown("first.example.com");
  const { publishedVersion } = await example.state();
  example.makeAsCluster([await certificate("second.example.com")]);
  await shown("second.example.com");
  expect(await example.state()).toMatchObject({ publishedVersion, revisions: 1 });
}

/** S9 */
export async function endpointDiscovery(scene: Scene): Promise<void> {
  await using one = startUpstream("one");
  await using two = startUpstream("two");
  await using three = startUpstream("three");
  const secret = await made(scene, "endpoint-discovery");
  const pods = (...ports: readonly number[]) =>
    ports.map((port, index) => {
      const slice = endpointSlice("endpoint-discovery", port, ["127.0.0.1"]);
      return { ...slice, metadata: { ...slice["metadata"] as object, name: `endpoint-discovery-${index}` } }; // it has one
    });
  await using example = await Example.open("endpoint-discovery", scene.chancery, {
    madeByCluster: [secret, ...pods(one.port, two.port)],
  });
  using browser = new Browser([scene.authority.cert]);
  /** Who answers in turn. */
  const answering = async (count: number) => {
    const names = new Set<string>();
    for (let n = 0; n < count; n++) names.add((await browser.get(`https://127.0.0.1:${example.port(8443)}/`)).body);
    return [...names].sort().join();
  };
  await example.wait("both pods", async () => await answering(2) === "one,two");
  const before = await example.state();
  example.makeAsCluster([secret, ...pods(one.port, two.port, three.port)]);
  await example.wait("a third pod", async () => await answering(3) === "one,three,two");
  expect(await example.state()).toEqual(before);
  expect(before.revisions).toBe(1);
  for (const name of ["listener_manager.listener_modified", "cluster_manager.cluster_modified"]) {
    expect([name, await example.envoy.stat(name)]).toEqual([name, 0]);
  }
}

/** S10 */
export async function deprecatedForm(scene: Scene): Promise<void> {
  await using application = startUpstream("application");
  await using example = await Example.open("deprecated-form", scene.chancery, {
    ports: { 8080: application.port },
    madeByCluster: [await made(scene, "deprecated-form")],
  });
  using browser = new Browser([scene.authority.cert]);
  const of = async (tenant: string) =>
    (await browser.get(`https://127.0.0.1:${example.port(8443)}/`, { "x-tenant": tenant })).body;
  await example.wait("both scopes", async () => {
    return await of("blue") === "application" && await of("green") === "Hello, green\n";
  });
  const { publishedVersion: old } = await example.state();
  example.apply(1);
  const now = await example.wait("another version", async () => {
    const state = await example.state();
    return state.publishedVersion !== old && state.cacheState === "InSync" && state;
  });
  expect(now.publishedVersion).toBe(now.desiredVersion);
  expect([await of("blue"), await of("green")]).toEqual(["application", "Hello, green\n"]);
  for (const name of ["listener_manager.listener_modified", "cluster_manager.cluster_modified"]) {
    expect([name, await example.envoy.stat(name)]).toEqual([name, 0]);
  }
}

/** S16 */
export async function everyType(scene: Scene): Promise<void> {
  const tokens: (string | null)[] = [];
  await using application = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, (request) => {
    tokens.push(request.headers.get("authorization"));
    return new Response("application");
  });
  await using example = await Example.open("every-type", scene.chancery, {
    ports: { 8080: application.addr.port },
    madeByCluster: [await made(scene, "every-type"), await made(scene, "every-type-clients")],
  });
  const shop = { port: example.port(8443), tls: { serverName: "127.0.0.1", caCerts: [scene.authority.cert] } };
  const get = (path: string) => httpGet(shop, path, { host: "shop.example.com" });
  await example.wait("the virtual host", async () => (await get("/")).body === "application");
  expect(tokens.at(-1)).toBe("Bearer example-token-of-no-value");
  expect((await get("/")).headers.get("x-stamp")).toBe("every-type");
  await example.wait("what the runtime says", async () => (await get("/new")).body === "New!\n");
  const { entries } = JSON.parse(await example.envoy.admin("/runtime"));
  expect(entries["shop.new_percent"].final_value).toBe("100");
  using browser = new Browser([]);
  await example.wait("the scope", async () => {
    const { body } = await browser.get(`http://127.0.0.1:${example.port(8081)}/`, { "x-tenant": "blue" });
    return body === "Hello, blue\n";
  });
  expect(await example.envoy.configDump()).toContain('"name": "clients"');
  await example.sound();
}

/** S17 */
export async function secretRef(scene: Scene): Promise<void> {
  await using example = await Example.open("secret-ref", scene.chancery, {
    madeByCluster: [await made(scene, "secret-ref")],
  });
  const told = await example.wait("both findings", async () => {
    const findings = (await example.findings()).join();
    return findings.includes("ref is ignored") && findings.includes("does not exist") && findings;
  });
  expect(told).toContain('Secret \\"server\\" does not exist');
  const tls = { serverName: "127.0.0.1", caCerts: [scene.authority.cert] };
  const get = () => httpGet({ port: example.port(8443), tls });
  await example.wait("a port without a certificate", async () => {
    const said = await get().then(({ body }) => body, (error) => String(error));
    return said.includes("TLS handshake");
  });
  example.apply(1);
  await example.wait("the certificate", async () => (await get()).body === "Hello over TLS\n");
  await example.sound();
}
