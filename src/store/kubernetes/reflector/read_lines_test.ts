import { expect } from "expect";
import { runInNewContext } from "node:vm";
import { setFlagsFromString } from "node:v8";
import { systemClock } from "../../../base/mod.ts";
import { readLines } from "./read_lines.ts";

Deno.test("readLines() ends with the signal, also when the garbage collector has taken the Response of the body", async () => {
  setFlagsFromString("--expose-gc");
  const collectGarbage = runInNewContext("gc") as () => void; // by the flag
  const begun = new TextEncoder().encode("begun\n");
  const endless = () => new Response(new ReadableStream({ start: (controller) => controller.enqueue(begun) }));
  await using server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, endless);
  const stop = new AbortController();
  const { signal } = stop;
  const bodyOf = async () => (await fetch(`http://127.0.0.1:${server.addr.port}/`, { signal })).body!; // it has one
  const lines: string[] = [];
  const read = readLines(await bodyOf(), {
    onLine: (line) => void lines.push(line),
    onSilence: () => {},
    idleMs: 60_000,
    clock: systemClock,
    signal,
  });
  for (let i = 0; i < 3; i++) {
    await new Promise((resolve) => setTimeout(resolve, 10));
    collectGarbage();
  }
  stop.abort(new Error("enough"));
  await expect(read).rejects.toThrow("enough");
  expect(lines).toEqual(["begun"]);
});
