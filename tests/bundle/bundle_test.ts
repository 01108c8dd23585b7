import { expect } from "expect";
import { COMMANDS } from "../../src/cli/mod.ts";
import { EmptyPlace } from "./empty_place.ts";
import { OFFLINE } from "./offline.ts";
import { IN_CLUSTER } from "./in_cluster.ts";
import { ON_STANDALONE, ServedEnvoy } from "./on_standalone.ts";

Deno.test("each command has a case of what it does where there is nothing but the bundle", () => {
  const cases = [OFFLINE, ON_STANDALONE, IN_CLUSTER].flatMap((some) => Object.keys(some));
  expect([...new Set(cases)].sort()).toEqual(Object.keys(COMMANDS).sort());
});

Deno.test("the bundle runs alone: empty folder, empty cache, no registry", async (t) => {
  await using place = await EmptyPlace.make();
  for (const [name, run] of Object.entries(OFFLINE)) await t.step(name, () => run(place));
  await t.step("--help", async () => {
    const text = await place.output(["--help"]);
    for (const name of Object.keys(COMMANDS)) expect(text).toMatch(new RegExp(`^ +${name} `, "m"));
  });
  await t.step("nothing was fetched, and nothing is left where it was started", () => {
    expect(place.leftovers()).toEqual([]);
  });
});

Deno.test("the bundle runs alone as a standalone, with all that is asked of one", async (t) => {
  await using place = await EmptyPlace.make();
  await using served = await ServedEnvoy.start(place);
  for (const [name, run] of Object.entries(ON_STANDALONE)) await t.step(name, () => run(served));
  await t.step("it ends when it is told to, and nothing was fetched", async () => {
    expect((await served.standalone.stop()).code).toBe(0);
    expect(place.leftovers()).toEqual([]);
  });
});
