import { expect } from "expect";
import { type ChanceryError, systemClock } from "../../src/base/mod.ts";
import { openLocalStore } from "../../src/store/local/mod.ts";

const WRITER = new URL("crash_writer.ts", import.meta.url).pathname;

/** A writer in a process of its own; `said` are its lines so far. */
function startWriter(
  directory: string,
): { child: Deno.ChildProcess; said: string[]; until: (lines: number) => Promise<void>; end: () => Promise<void> } {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "--quiet", "--no-check", "--allow-read", "--allow-write", WRITER, directory],
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const said: string[] = [];
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  const read = async () => {
    const { value, done } = await reader.read();
    const lines = (rest + (value ?? "")).split("\n");
    rest = lines.pop()!; // half a line says nothing yet
    said.push(...lines);
    return !done;
  };
  const until = async (lines: number) => {
    while (said.length < lines && await read());
  };
  const end = async () => {
    while (await read());
    await child.status;
  };
  return { child, said, until, end };
}

Deno.test("I10: the store is whole after kill -9 at any moment, 20 times, and holds every acknowledged write", async () => {
  const directory = await Deno.makeTempDir();
  try {
    let known = 0;
    for (let round = 0; round < 20; round++) {
      const { child, said, until, end } = startWriter(directory);
      await until(2 + round * 3); // "open" and some writes, more each time
      child.kill("SIGKILL");
      await end();
      const acknowledged = Number(said.at(-1));
      expect(acknowledged).toBeGreaterThan(known);

      const store = openLocalStore({ directory, clock: systemClock });
      const [left, right] = (await store.list("Sample")).items;
      const { count } = left!.spec as { count: number }; // what the writer puts there
      expect(count).toBeGreaterThanOrEqual(acknowledged);
      expect(right!.spec).toEqual(left!.spec);
      expect(new TextDecoder().decode(await store.kept("count"))).toBe(String(count));
      expect(left!.metadata.generation).toBe(count);
      await store.close();
      known = count;
    }
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});

Deno.test("one process at a time uses a data directory; kill -9 frees it", async () => {
  const directory = await Deno.makeTempDir();
  const { child, until, end } = startWriter(directory);
  try {
    await until(1);
    let thrown: ChanceryError | undefined;
    try {
      openLocalStore({ directory, clock: systemClock });
    } catch (error) {
      thrown = error as ChanceryError; // the store throws nothing else
    }
    expect(thrown?.code).toBe("unavailable");
    expect(thrown?.message).toBe(
      `Cannot use data directory "${directory}": process ${child.pid} is using it; end that one or choose another directory`,
    );
    child.kill("SIGKILL");
    await end();
    await openLocalStore({ directory, clock: systemClock }).close();
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});
