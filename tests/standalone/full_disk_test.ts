import { expect } from "expect";
import { envoyConfig, type Fields, listener } from "../envoy/harness/mod.ts";
import { Chancery } from "./chancery.ts";
import { XdsClient } from "./xds_client.ts";

/** Runs a program with a tiny file system of its own on a directory; it vanishes with the program. */
function withSmallDisk(directory: string): string[] {
  const script = 'mount -t tmpfs -o size=1m,mode=700 tmpfs "$0" && exec "$@"';
  return ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", script, directory];
}

/** Not every machine lets its users make name spaces. */
async function canMount(): Promise<boolean> {
  const directory = await Deno.makeTempDir();
  const [command = "", ...args] = [...withSmallDisk(directory), "true"];
  const ended = await new Deno.Command(command, { args }).output().catch(() => undefined);
  await Deno.remove(directory);
  return ended?.success === true;
}

function edge(text: string): Fields[] {
  return [envoyConfig("edge", [listener("in", { port: 10000, routes: { text } })])];
}

/** Writes until nothing more fits. */
async function fill(path: string): Promise<void> {
  using file = await Deno.open(path, { write: true, create: true });
  for (const size of [65536, 4096, 1]) {
    const block = new Uint8Array(size);
    try {
      for (;;) await file.write(block);
    } catch (thrown) {
      expect(String(thrown)).toContain("No space left");
    }
  }
}

Deno.test({
  name: "a full disk is told, stops no traffic, and heals by itself",
  ignore: !await canMount(),
  async fn() {
    await using server = new Chancery({ "edge.yaml": edge("one") });
    await Deno.mkdir(server.data);
    const { pid } = await server.start({ wrap: withSmallDisk(server.data) });
    const filler = `/proc/${pid}/root${server.data}/filler`;
    await using early = new XdsClient(server.xdsPort);
    expect((await early.next("LDS")).bytes).toContain("one");

    await fill(filler);
    server.write("edge.yaml", edge("two"));
    await server.wait("the trouble", async () => JSON.stringify(await server.status()).includes('"writable":false'));
    const { status, body } = await server.get("/readyz");
    expect([status, body]).toEqual([200, expect.stringMatching(/^ok\n.*the disk is full; free some space/)]);
    await server.wait("the finding", async () => JSON.stringify(await server.findings()).includes("the disk is full"));
    expect((await server.get("/metrics")).body).toContain("chancery_store_writable 0\n");
    await using late = new XdsClient(server.xdsPort);
    expect((await late.next("LDS")).bytes).toContain("one");

    await Deno.remove(filler);
    expect((await early.next("LDS")).bytes).toContain("two");
    expect((await late.next("LDS")).bytes).toContain("two");
    await server.wait("the end of the trouble", async () => (await server.findings()).length === 0);
    expect(await server.status()).toMatchObject({ store: { writable: true }, details: [] });
    const told = server.log.map((line) => String(line["message"])).filter((text) => text.includes("the disk is full"));
    expect(told.filter((text) => text.startsWith("Solved: ")).length).toBe(told.length / 2);
  },
});
