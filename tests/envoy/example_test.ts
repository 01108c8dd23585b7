import { expect } from "expect";
import { type Fields, freePort, httpGet, LINKS, startWorld } from "./harness/mod.ts";

const EXAMPLE = new URL("../../manifests/examples/standalone/", import.meta.url);

Deno.test("the example answers by itself and from its upstream, with the token of its Secret", async () => {
  const authorizations: (string | null)[] = [];
  await using _upstream = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, (request) => {
    authorizations.push(request.headers.get("authorization"));
    return new Response(new URL(request.url).pathname);
  });
  const port = freePort();
  const files: Record<string, string> = {};
  for await (const { name } of Deno.readDir(EXAMPLE)) {
    const text = await Deno.readTextFile(new URL(name, EXAMPLE));
    files[name] = text.replaceAll("10000", String(port)).replaceAll("9901", String(_upstream.addr.port));
  }
  await using world = await startWorld(LINKS[0]!, { files });

  expect(await httpGet({ port })).toMatchObject({ status: 200, body: expect.stringContaining("Hello from Envoy") });
  expect(await httpGet({ port }, "/upstream")).toMatchObject({ status: 200, body: "/server_info" });
  expect(authorizations).toEqual([expect.stringMatching(/^Bearer \S+/)]);
  const { findings }: { findings: readonly Fields[] } = JSON.parse((await world.chancery.get("/status")).body);
  expect(findings).toEqual([]);
  const token = authorizations[0]!;
  expect(world.chancery.process.lines.join("\n")).not.toContain(token);
  expect((await world.chancery.get("/status")).body).not.toContain(token);
});
