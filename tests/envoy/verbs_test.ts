/** `status`, `history`, `diff` and `rollback` as a person types them, with a real Envoy that refuses and accepts. */
import { expect } from "expect";
import { chancery } from "../standalone/chancery.ts";
import {
  eachLink,
  envoyConfig,
  type Fields,
  freePort,
  httpGet,
  LINKS,
  listener,
  startLoad,
  startProcess,
  startWorld,
} from "./harness/mod.ts";
import { CLI } from "../program.ts";

const WORDS = "reuse port cannot be changed during an update";
const PLAIN = LINKS.filter((link) => !link.tls);

eachLink("what Envoy refused is told in its own words, and people steer past it", async (link) => {
  const port = freePort();
  const edge = (text: string, more: Fields = {}) => {
    const item = listener("in", { port, routes: { text } });
    return [envoyConfig("edge", [{ ...item, value: { ...item["value"] as Fields, ...more } }])];
  };
  await using world = await startWorld(link, { files: { "edge.yaml": edge("one") } });
  const data = world.chancery.directory.replace(/config$/, "data");
  const run = (...words: string[]) => chancery(...words, "--data", data);
  const inSync = async (clients = "1/1") => {
    const { code, stdout } = await run("status", "--exit-code");
    return code === 0 && stdout.includes(` InSync   ${clients} `);
  };
  await world.wait("Envoy to accept", inSync);
  await using load = startLoad({ target: { port } });

  // Refused: told within a second, served on.
  world.chancery.write("edge.yaml", edge("one", { enable_reuse_port: false }));
  const refused = await world.wait("the rollback", async () => {
    const { code, stdout } = await run("status", "--exit-code");
    return code === 1 && /default\/edge +edge +\w{10} +\w{10} +Rollback +1\/1 /.test(stdout) && stdout;
  });
  expect(refused).toContain(WORDS);
  expect(refused).toContain(`Next: chancery history default/edge --data ${data}`);
  const history = await run("history", "edge");
  expect(history.stdout).toMatch(/desired,tainted\n {2}error: .*reuse port/);
  expect(history.stdout).toMatch(/ published(,acknowledged)?\n/);

  // What is in the file and not in Envoy.
  const diff = await run("diff", world.chancery.directory);
  expect([diff.code, diff.stderr]).toEqual([1, ""]);
  expect(diff.stdout.split("\n").filter((line) => /^[+-][^+-]/.test(line))).toEqual(["+enable_reuse_port: false"]);

  // Envoy has not changed its mind.
  const again = await run("rollback", "edge", "--retry");
  expect([again.code, again.stdout]).toEqual([3, expect.stringMatching(new RegExp(`refused: .*${WORDS}`))]);
  expect(again.stdout).toContain("Next: chancery history");

  // A good version, back to the one before, forth again.
  world.chancery.write("edge.yaml", edge("two"));
  await world.wait("the good version", async () => (await httpGet({ port })).body === "two");
  await world.wait("Envoy to accept it", inSync);
  expect(await run("diff", world.chancery.directory)).toMatchObject({ code: 0, stderr: "" });
  const back = await run("rollback", "edge");
  expect([back.code, back.stdout]).toEqual([0, expect.stringContaining("accepted: the Envoy accepted it")]);
  expect((await httpGet({ port })).body).toBe("one");
  expect((await run("status")).stdout).toMatch(
    /is served because it is pinned\n {2}Next: chancery rollback .* --retry/,
  );
  const forth = await run("rollback", "edge", "--retry", "-o", "json");
  expect([forth.code, JSON.parse(forth.stdout)]).toMatchObject([0, { action: "retry", result: "accepted" }]);
  expect((await httpGet({ port })).body).toBe("two");
  expect(await inSync()).toBe(true);

  // An Envoy that says nothing.
  world.envoy.process.signal("SIGSTOP");
  try {
    const silent = await run("rollback", "edge", "--timeout", "1s");
    expect([silent.code, silent.stdout]).toEqual([
      4,
      expect.stringContaining("time ran out: 0 of 1 Envoy accepted it"),
    ]);
  } finally {
    world.envoy.process.signal("SIGCONT");
  }
  await world.wait("Envoy to catch up", async () => (await httpGet({ port })).body === "one");
  expect(await load.stop()).toMatchObject({ failed: 0, failures: [] });
}, PLAIN);

eachLink("status -w shows a change within a second of Envoy's answer", async (link) => {
  const port = freePort();
  const edge = (text: string) => [envoyConfig("edge", [listener("in", { port, routes: { text } })])];
  await using world = await startWorld(link, { files: { "edge.yaml": edge("one") } });
  const data = world.chancery.directory.replace(/config$/, "data");
  await using watch = startProcess({
    name: "status",
    command: Deno.execPath(),
    args: ["run", "--quiet", "--allow-all", CLI, "status", "-w", "-o", "json", "--data", data],
    env: { NO_COLOR: "1" },
  });
  await world.wait("the first look", () => watch.lines.includes("}"));
  const first = watch.lines.length;
  world.chancery.write("edge.yaml", edge("two"));
  const answered = await world.wait(
    "Envoy's answer",
    async () => (await httpGet({ port })).body === "two" && Date.now(),
  );
  const shown = await world.wait("the change", () => {
    const lines = watch.lines.slice(first).map((line) => JSON.parse(line));
    return lines.some(({ inSync, generation }) => inSync && generation === 2) && Date.now();
  });
  expect(shown - answered).toBeLessThan(1_500); // of these, half a second is the pace, the rest a busy machine
}, PLAIN.slice(0, 1));
