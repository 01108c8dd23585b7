/**
 * `deno task faults [--seeds N] [--seed S] [--steps N]`: many runs, one after the other, each of which breaks things at moments
 * that its seed decides; 1,000 faults unless told otherwise. Ends with 1 when an invariant was broken; the journal of that run is
 * kept.
 * @module
 */
import { checkLog } from "./checks/mod.ts";
import { entriesOf } from "./journal.ts";
import { faultRun } from "./run.ts";

function option(name: string, otherwise: number): number {
  const at = Deno.args.indexOf(name);
  if (at < 0) return otherwise;
  const value = Number(Deno.args[at + 1]);
  if (Number.isSafeInteger(value) && value > 0) return value;
  console.error(`Cannot run: ${name} needs a whole number above 0`);
  Deno.exit(2);
}

const steps = option("--steps", 20);
const first = option("--seed", 1);
const count = option("--seeds", Deno.args.includes("--seed") ? 1 : Math.ceil(1_000 / steps));
const folder = await Deno.makeTempDir({ prefix: "chancery-faults-" });
const stop = new AbortController();
for (const name of ["SIGINT", "SIGTERM"] as const) {
  Deno.addSignalListener(name, () => stop.abort(new Error("interrupted"))); // processes are still ended
}
const failed: number[] = [];
let faults = 0;
let kills = 0;
for (let seed = first; seed < first + count; seed++) {
  const journal = `${folder}/seed-${seed}.jsonl`;
  const start = performance.now();
  const wrong: string[] = [];
  if (stop.signal.aborted) Deno.exit(130);
  try {
    const { log, skipped } = await faultRun({ seed, steps, journal, signal: stop.signal });
    wrong.push(...checkLog(log));
    faults += entriesOf(log, "fault").length;
    kills += entriesOf(log, "killed").length;
    const responses = entriesOf(log, "response").length;
    const seconds = ((performance.now() - start) / 1000).toFixed(1);
    const left = skipped.length > 0 ? `, not possible here: ${skipped.join(", ")}` : "";
    console.log(`seed ${seed}: ${wrong.length === 0 ? "ok" : "FAILED"}, ${seconds} s, ${responses} responses${left}`);
  } catch (error) {
    wrong.push(String(error));
    console.log(`seed ${seed}: FAILED, did not come to its end`);
  }
  for (const one of wrong) console.log(`  ${one}`);
  if (wrong.length === 0) await Deno.remove(journal);
  else {
    console.log(`  journal: ${journal}\n  again:   deno task faults --seed ${seed} --steps ${steps}`);
    failed.push(seed);
  }
}
console.log(`${faults} faults, ${kills} times killed, ${count - failed.length} of ${count} seeds ok`);
if (failed.length > 0) Deno.exit(1);
await Deno.remove(folder, { recursive: true });
