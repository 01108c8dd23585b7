import { expect } from "expect";
import { checkLog } from "./checks/mod.ts";
import { faultRun } from "./run.ts";

/** A few; `deno task faults` runs a thousand faults. */
for (const seed of [1, 2, 3]) {
  Deno.test(`I1–I10, I12–I14: nothing is lost and nothing doubled, whatever breaks while it is published (seed ${seed})`, async () => {
    const { log } = await faultRun({ seed, steps: 8 });
    expect(checkLog(log)).toEqual([]);
  });
}
