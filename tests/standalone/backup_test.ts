import { expect } from "expect";
import { envoyConfig, listener } from "../envoy/harness/mod.ts";
import { Chancery, chancery } from "./chancery.ts";

const FILES = { "edge.yaml": [envoyConfig("edge", [listener("in", { port: 10000, routes: { text: "hello" } })])] };

Deno.test("a backup of a running standalone serves the same in its place, without the directory", async () => {
  await using server = new Chancery(FILES);
  await server.start();
  const before = await server.status();
  const file = `${server.folder}/copy.db`;
  expect(await chancery("backup", "--data", server.data, file)).toMatchObject({
    code: 0,
    stdout: `wrote "${file}" (by the running standalone)\n`,
  });
  expect((await Deno.stat(file)).mode! & 0o777).toBe(0o600);
  const again = await chancery("backup", "--data", server.data, file);
  expect(again).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining("it exists already") });

  await server.process.stop();
  await Deno.remove(server.data, { recursive: true });
  await Deno.mkdir(server.data);
  await Deno.rename(file, `${server.data}/chancery.db`);
  await Deno.rename(server.config, `${server.folder}/elsewhere`);
  await server.start();
  expect((await server.status())["nodes"]).toEqual(before["nodes"]);
});

Deno.test("a backup needs no running standalone", async () => {
  await using server = new Chancery(FILES);
  await server.start();
  await server.process.kill(); // leaves a socket behind that nobody answers
  const file = `${server.folder}/copy.db`;
  expect(await chancery("backup", "--data", server.data, file)).toMatchObject({
    code: 0,
    stdout: `wrote "${file}" (no standalone was running)\n`,
  });
});

Deno.test("a backup of nothing says so", async () => {
  await using server = new Chancery();
  const { code, stderr } = await chancery("backup", "--data", server.data, `${server.folder}/copy.db`);
  expect(code).toBe(2);
  expect(stderr).toContain("there is no database in it");
});
