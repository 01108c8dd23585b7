/** Secrets in all the ways in which users name them: S3, S4, S11, S17. */
import { expect } from "expect";
import { createAuthority } from "../../certificates.ts";
import { eventually, freePort, httpGet, startLoad, startUpstream, tlsSecret } from "../../envoy/harness/mod.ts";
import { clusterTest } from "../control_plane/mod.ts";
import { manifest, openStage } from "./stage.ts";

const NAMES = { dns: ["edge.test"], ips: ["127.0.0.1"] };

/** A target that is reached only with a certificate that one of these authorities issued. */
function trusting(port: number, ...caCerts: readonly string[]) {
  return { port, tls: { serverName: "edge.test", caCerts } };
}

clusterTest(
  "Scenario S3: TLS is offloaded with the certificate of a Secret; scenario S4: it is deleted and made anew, then patched, and no request is lost",
  async () => {
    await using stage = await openStage({ replicas: 2 });
    const port = freePort();
    await using kuard = startUpstream("kuard");
    const authorities = await Promise.all(["first", "second", "third"].map((name) => createAuthority(name)));
    const issue = async (index: number) =>
      tlsSecret("certificate", await authorities[index]!.issue({ commonName: `edge-${index}`, ...NAMES }));
    const served = (index: number) =>
      eventually(async () => (await httpGet(trusting(port, authorities[index]!.cert))).body === "kuard", {
        what: `certificate ${index}`,
        deadlineMs: 20_000,
        explain: () => stage.tail(),
      });
    await stage.site.apply(await issue(0));
    await stage.apply(await manifest("s03_tls_offload", { 8443: port, 9001: kuard.port }));
    await stage.envoy("tls-offload", "sotw");
    await served(0);
    const version = await stage.accepted("tls-offload");
    await expect(httpGet(trusting(port, authorities[1]!.cert))).rejects.toThrow("TLS handshake");

    const before = await stage.config("tls-offload");
    await using load = startLoad({ target: trusting(port, ...authorities.map(({ cert }) => cert)) });
    expect((await stage.kubectl("delete", "secret", "certificate")).code).toBe(0);
    await stage.until(
      "tls-offload",
      "told of it",
      ({ conditions }) =>
        conditions?.some(({ type, reason }) => type === "ResourcesResolved" && reason === "SecretNotFound") ?? false,
    );
    await stage.site.apply(await issue(1));
    await served(1);
    const { data } = await issue(2) as { data: object };
    stage.site.mustNotShow({ kind: "Secret", data });
    const patch = ["patch", "secret", "certificate", "--type=merge", "-p", JSON.stringify({ data })];
    expect((await stage.kubectl(...patch)).code).toBe(0);
    await served(2);
    expect(await load.stop()).toMatchObject({ failed: 0, failures: [], stale: 0 });

    const after = await stage.config("tls-offload");
    expect([after.spec, after.metadata.generation]).toEqual([before.spec, before.metadata.generation]);
    expect(after.status).toMatchObject({ cacheState: "InSync", publishedVersion: version });
    expect(await stage.revisions("tls-offload")).toHaveLength(1);
  },
);

clusterTest(
  "W1: a login by OAuth2 with two keys of one Opaque Secret under aliases works to its end, and neither shows anywhere (scenario S11)",
  async () => {
    await using stage = await openStage();
    const port = freePort();
    const authority = await createAuthority();
    await using app = startUpstream("app");
    const asked: string[] = [];
    await using idp = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
      asked.push(await request.text());
      return Response.json({ access_token: "token-of-the-user", token_type: "bearer", expires_in: 3600 });
    });
    await stage.site.apply(tlsSecret("certificate", await authority.issue({ commonName: "edge", ...NAMES })));
    await stage.apply(await manifest("s11_oauth2", { 8443: port, 9001: app.port, 9002: idp.addr.port }));
    const envoy = await stage.envoy("login");
    await stage.acknowledged("login");
    using client = Deno.createHttpClient({ caCerts: [authority.cert] });
    const jar = new Map<string, string>();
    const get = async (url: string) => {
      const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
      const response = await fetch(url, { client, redirect: "manual", headers: { cookie } });
      for (const set of response.headers.getSetCookie()) {
        const [, name, value] = /^([^=]+)=([^;]*)/.exec(set)!;
        jar.set(name!, value!);
      }
      return { status: response.status, location: response.headers.get("location") ?? "", body: await response.text() };
    };

    const site = `https://127.0.0.1:${port}`;
    const login = await eventually(async () => {
      const answer = await get(`${site}/cart`);
      return answer.status === 302 && answer;
    }, { what: "the redirect to the login", explain: () => `${stage.tail()}\n${envoy.process.tail()}` });
    const { origin, pathname, searchParams } = new URL(login.location);
    expect([origin + pathname, searchParams.get("client_id"), searchParams.get("redirect_uri")]).toEqual(
      ["https://idp.example.com/authorize", "shop", `${site}/callback`],
    );
    const back = new URLSearchParams({ code: "granted", state: searchParams.get("state") ?? "" });
    const welcome = await get(`${site}/callback?${back}`);
    expect([welcome.status, welcome.location]).toEqual([302, `${site}/cart`]);
    expect(new URLSearchParams(asked[0]).get("client_secret")).toBe("one-secret-for-the-token-endpoint");
    expect(await get(`${site}/cart`)).toMatchObject({ status: 200, body: "app" });
    await stage.acknowledged("login");
    expect(await stage.everythingTold()).not.toMatch(
      /one-secret-for|another-secret-for|b25lLXNlY3JldC|YW5vdGhlci1zZWNyZX/,
    );
    // Signed with the other key: a cookie that was tampered with is worth nothing.
    jar.set("OauthHMAC", "AAAA");
    expect((await get(`${site}/cart`)).status).toBe(302);
  },
);

clusterTest(
  "W19: a secret's ref is not heeded: the Secret of its own name is missing, said so, and the rest is served (scenario S17)",
  async () => {
    await using stage = await openStage();
    const [port, tlsPort] = [freePort(), freePort()];
    await using kuard = startUpstream("kuard");
    const authority = await createAuthority();
    const certificate = await authority.issue({ commonName: "edge", ...NAMES });
    await stage.site.apply(tlsSecret("envoy-server-cert", certificate));
    const warnings = await stage.apply(
      await manifest("s17_secret_ref", { 8080: port, 8443: tlsPort, 9001: kuard.port }),
    );
    expect(warnings.join("\n")).toContain("spec.envoyResources.secrets[0].ref");
    await stage.envoy("kuard");
    await stage.answers(port, "kuard");
    const { conditions } = await stage.until("kuard", "served", ({ cacheState }) => cacheState === "InSync");
    expect(conditions?.find(({ type }) => type === "ResourcesResolved")).toMatchObject({
      status: "False",
      reason: "SecretNotFound",
      message: expect.stringContaining('"envoy-server1"'),
    });
    await stage.site.apply(tlsSecret("envoy-server1", certificate));
    await eventually(async () => (await httpGet(trusting(tlsPort, authority.cert))).body === "kuard", {
      what: "HTTPS",
      deadlineMs: 20_000,
      explain: () => stage.tail(),
    });
    await stage.until(
      "kuard",
      "resolved",
      ({ conditions }) =>
        conditions?.some(({ type, status }) => type === "ResourcesResolved" && status === "True") ?? false,
    );
  },
);
