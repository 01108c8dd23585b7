import { expect } from "expect";
import {
  envoyConfig,
  eventually,
  freePort,
  httpGet,
  listener,
  type RunningProcess,
  startProcess,
} from "../envoy/harness/mod.ts";

const DEV = new URL("../../scripts/dev.ts", import.meta.url).pathname;

/** `deno task dev` on a directory of its own, with ports that nobody uses. */
function startDev(directory: string, env: Record<string, string> = {}): RunningProcess {
  return startProcess({
    name: "dev",
    command: Deno.execPath(),
    args: ["run", "--quiet", "--allow-all", DEV, directory],
    env: {
      CHANCERY_XDS_BIND: `127.0.0.1:${freePort()}`,
      CHANCERY_ADMIN_BIND: `127.0.0.1:${freePort()}`,
      CHANCERY_ADMIN_ADDRESS: `127.0.0.1:${freePort()}`,
      ...env,
    },
  });
}

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  Deno.test(`dev serves a directory to a real Envoy, follows it, and ends everything on ${signal}`, async () => {
    const directory = await Deno.makeTempDir({ prefix: "chancery-dev-test-" });
    const port = freePort();
    const write = (text: string) =>
      Deno.writeTextFile(
        `${directory}/edge.yaml`,
        JSON.stringify(envoyConfig("edge", [listener("in", { port, routes: { text } })])),
      );
    try {
      await write("one");
      await using dev = startDev(directory);
      const explain = () => dev.tail(50);
      const said = (what: string, pattern: RegExp) =>
        eventually(() => dev.lines.some((line) => pattern.test(line)), { what, deadlineMs: 30_000, explain });
      await said("the URL to try", new RegExp(`Try: curl http://127\\.0\\.0\\.1:${port}/`));
      expect((await httpGet({ port })).body).toBe("one");

      const changed = performance.now();
      await write("two");
      await eventually(async () => (await httpGet({ port })).body === "two", { what: "the change", explain });
      expect(performance.now() - changed).toBeLessThan(1000);

      await Deno.writeTextFile(`${directory}/edge.yaml`, "kind: EnvoyConfig\nspec: [");
      await said("the finding", /^chancery \|.*edge\.yaml/);
      expect((await httpGet({ port })).body).toBe("two");

      dev.signal(signal);
      const status = await eventually(() => dev.ended, { what: "dev to end", deadlineMs: 15_000, explain });
      expect(status.code).toBe(0);
      expect(dev.lines.at(-1)).toMatch(/all stopped/);
      await expect(httpGet({ port })).rejects.toThrow();
    } finally {
      await Deno.remove(directory, { recursive: true });
    }
  });
}

Deno.test("dev says which address another program has", async () => {
  const directory = await Deno.makeTempDir({ prefix: "chancery-dev-test-" });
  using taken = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  try {
    await Deno.writeTextFile(`${directory}/edge.yaml`, JSON.stringify(envoyConfig("edge", [])));
    await using dev = startDev(directory, { CHANCERY_ADMIN_BIND: `127.0.0.1:${taken.addr.port}` });
    const status = await eventually(() => dev.ended, { what: "dev to end" });
    expect(status.code).toBe(1);
    expect(dev.tail()).toContain("CHANCERY_ADMIN_BIND chooses another address");
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});

Deno.test("dev says what is wrong with a directory that has no EnvoyConfig", async () => {
  const directory = await Deno.makeTempDir({ prefix: "chancery-dev-test-" });
  try {
    await using dev = startDev(directory);
    const status = await eventually(() => dev.ended, { what: "dev to end" });
    expect(status.code).toBe(1);
    expect(dev.tail()).toContain("Cannot find an EnvoyConfig");
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});
