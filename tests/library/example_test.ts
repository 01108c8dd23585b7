import { expect } from "expect";
import { buildBootstrap, parseAddress } from "../../src/bootstrap/mod.ts";
import { eventually, freePort, httpGet, startEnvoy, startProcess } from "../envoy/harness/mod.ts";

const EXAMPLE = new URL("../../manifests/examples/library/main.ts", import.meta.url).pathname;

for (const mode of ["delta", "sotw"] as const) {
  Deno.test(`the library example serves a real Envoy over ${mode}, and tells of its ACKs by the given versions`, async () => {
    const [port, listener] = [freePort(), freePort()];
    await using example = startProcess({
      name: "example",
      command: Deno.execPath(),
      args: ["run", "--quiet", "--allow-all", EXAMPLE, String(port), String(listener), "100"],
    });
    await eventually(() => example.lines.some((line) => line.startsWith("listening on")), {
      what: "the example to listen",
      explain: () => example.tail(),
    });
    const { bootstrap } = buildBootstrap({ nodeId: "edge", xds: [parseAddress(`127.0.0.1:${port}`)], mode });
    await using _envoy = await startEnvoy({ bootstrap: JSON.parse(JSON.stringify(bootstrap)) });
    const greetings = new Set<string>();
    await eventually(async () => {
      const { status, body } = await httpGet({ port: listener }, "/").catch(() => ({ status: 0, body: "" }));
      if (status === 200) greetings.add(body);
      return greetings.size >= 3;
    }, { what: "three different greetings" });
    for (const greeting of greetings) expect(greeting).toMatch(/^hello \d+\n$/);
    expect(example.lines).toContain("edge has listeners 1");
    expect(example.lines.some((line) => /^edge has routes \d+$/.test(line))).toBe(true);
    expect(example.lines.filter((line) => line.includes("refused"))).toEqual([]);
  });
}
