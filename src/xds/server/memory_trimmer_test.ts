import { expect } from "expect";
import { ManualClock } from "../../base/mod.ts";
import { memoryTrimmer } from "./memory_trimmer.ts";

Deno.test("memoryTrimmer() acts once after a burst, and not for little", () => {
  let trims = 0;
  const clock = new ManualClock();
  const trimmer = memoryTrimmer({ quietMs: 2_000, minBytes: 1_000, clock, trim: () => trims++ });
  trimmer.sent(999);
  clock.advance(10_000);
  expect(trims).toBe(0);
  for (let i = 0; i < 10; i++) {
    trimmer.sent(500);
    clock.advance(1_999);
  }
  expect(trims).toBe(0);
  clock.advance(1);
  expect(trims).toBe(1);
  trimmer.sent(2_000);
  trimmer.stop();
  clock.advance(10_000);
  expect(trims).toBe(1);
});

for (const ffi of [true, false]) {
  Deno.test(`memoryTrimmer() returns memory ${ffi ? "with" : "and asks for nothing without"} --allow-ffi`, async () => {
    const program = `
      import { memoryTrimmer } from ${JSON.stringify(import.meta.resolve("./memory_trimmer.ts"))};
      let kept = Array.from({ length: 40 }, () => Array.from({ length: 2000 }, () => new Uint8Array(500)));
      const trimmer = memoryTrimmer({ quietMs: 10, minBytes: 1 });
      const before = Deno.memoryUsage().rss;
      kept = [];
      trimmer.sent(1);
      const end = performance.now() + 10_000;
      while (Deno.memoryUsage().rss > before - 10_000_000 && performance.now() < end) {
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      trimmer.stop();
      console.log(JSON.stringify({ before, after: Deno.memoryUsage().rss }));
    `;
    const child = new Deno.Command(Deno.execPath(), {
      args: ["run", "--quiet", "--no-config", "--ext=ts", ...(ffi ? ["--allow-ffi"] : []), "-"],
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    const input = child.stdin.getWriter();
    await input.write(new TextEncoder().encode(program));
    await input.close();
    const { code, stdout, stderr } = await child.output();
    expect([code, new TextDecoder().decode(stderr)]).toEqual([0, ""]);
    const { before, after } = JSON.parse(new TextDecoder().decode(stdout));
    expect(after).toBeLessThan(before - 10_000_000);
  });
}
