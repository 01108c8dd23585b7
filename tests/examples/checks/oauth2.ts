import { expect } from "expect";
import { endpointSlice, tlsSecret } from "../../envoy/harness/mod.ts";
import { Browser } from "../browser.ts";
import { Example } from "../example.ts";
import { OAuth2Provider } from "../oauth2_provider.ts";
import type { Scene } from "./check.ts";

/** S11 */
export async function oauth2({ chancery, authority }: Scene): Promise<void> {
  const secret = "example-client-secret-of-no-value";
  const login = "login.example.com";
  await using provider = new OAuth2Provider(
    await authority.issue({ commonName: login, dns: [login], ips: ["127.0.0.1"] }),
    {
      id: "example",
      secret,
    },
  );
  const tokens: (string | null)[] = [];
  await using application = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, (request) => {
    tokens.push(request.headers.get("authorization"));
    return new Response(`application at ${new URL(request.url).pathname}`);
  });
  const certificate = await authority.issue({ commonName: "localhost", ips: ["127.0.0.1"] });
  const trusted = await Deno.makeTempFile({ prefix: "chancery-" });
  try {
    await Deno.writeTextFile(trusted, authority.cert);
    await using example = await Example.open("oauth2", chancery, {
      instead: {
        "/etc/ssl/certs/ca-certificates.crt": trusted,
        "https://login.example.com/authorize": `https://127.0.0.1:${provider.port}/authorize`,
        "address: login.example.com,": "address: 127.0.0.1,",
      },
      ports: { 443: provider.port },
      madeByCluster: [
        tlsSecret("oauth2-tls", certificate),
        endpointSlice("oauth2-application", application.addr.port, ["127.0.0.1"]),
      ],
    });
    const page = `https://127.0.0.1:${example.port(8443)}/cart`;
    using stranger = new Browser([authority.cert]);
    await example.wait("to be sent away", async () => (await stranger.get(page)).status === 302);
    expect(tokens).toEqual([]);

    using browser = new Browser([authority.cert]);
    const toLogin = await browser.get(page);
    expect(toLogin.location).toMatch(new RegExp(`^https://127\\.0\\.0\\.1:${provider.port}/authorize\\?`));
    const toCallback = await browser.get(toLogin.location!);
    expect([toCallback.body, toCallback.location]).toEqual(["", expect.stringContaining("/callback?code=")]);
    const back = await browser.get(toCallback.location!);
    expect([provider.refusals, back.status, back.location]).toEqual([[], 302, page]);
    expect(await browser.get(back.location!)).toEqual({ status: 200, body: "application at /cart" });
    expect(tokens).toEqual([`Bearer ${provider.token}`]);

    const dump = await example.envoy.configDump();
    for (const alias of ["oauth2-token", "oauth2-hmac"]) expect(dump).toContain(`"name": "${alias}"`);
    const said = chancery.process.lines.join("\n") + (await chancery.get("/status")).body;
    expect(said).not.toContain(secret);
    expect(said).not.toContain("example-hmac-key-of-no-value");
    await example.sound();
  } finally {
    await Deno.remove(trusted);
  }
}
