import { expect } from "expect";
import { envoyConfig, freePort, httpGet, LINKS, listener, startEnvoy, startStandalone } from "./harness/mod.ts";

for (const { mode } of LINKS.filter(({ tls }) => !tls)) {
  Deno.test(`an Envoy is served over a Unix socket (${mode})`, async () => {
    const folder = await Deno.makeTempDir({ prefix: "chancery-socket-" });
    try {
      const port = freePort();
      const config = (text: string) => [envoyConfig("edge", [listener("in", { port, routes: { text } })])];
      const address = `unix:${folder}/xds.sock`;
      await using chancery = await startStandalone({ files: { "edge.yaml": config("one") }, xdsAddress: address });
      await using envoy = await startEnvoy({ bootstrap: await chancery.bootstrap("edge", mode) });
      await chancery.wait("Envoy to be ready", () => envoy.ready());
      expect((await httpGet({ port })).body).toBe("one");
      chancery.write("edge.yaml", config("two"));
      await chancery.wait("the change", async () => (await httpGet({ port })).body === "two");
      // Nobody but the owner may ask for secrets.
      expect((await Deno.stat(`${folder}/xds.sock`)).mode! & 0o777).toBe(0o600);
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  });
}
