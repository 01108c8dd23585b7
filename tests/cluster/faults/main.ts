/**
 * `deno task faults:cluster [--seeds N] [--seed S] [--steps N]`: runs on a real API server, each of which breaks things at moments that
 * its seed decides. Ends with 1 when an invariant was broken; the journal of that run is kept.
 * @module
 */
import { clusterFaultRun } from "./cluster_run.ts";
import { entriesOf } from "../../faults/journal.ts";

function option(name: string, otherwise: number): number {
  const at = Deno.args.indexOf(name);
  if (at < 0) return otherwise;
  const value = Number(Deno.args[at + 1]);
  if (Number.isSafeInteger(value) && value >= 0) return value;
  console.error(`Cannot run: ${name} needs a whole number`);
  Deno.exit(2);
}

const steps = option("--steps", 18);
const first = option("--seed", 1);
const count = option("--seeds", Deno.args.includes("--seed") ? 1 : 10);
const crowd = option("--crowd", 100);
const replicas = option("--replicas", 2);
const folder = await Deno.makeTempDir({ prefix: "chancery-cluster-faults-" });
const failed: number[] = [];
for (let seed = first; seed < first + count; seed++) {
  const journal = `${folder}/seed-${seed}.jsonl`;
  const start = performance.now();
  const wrong: string[] = [];
  let responses = 0;
  const said: string[] = [];
  try {
    const { log, faults } = await clusterFaultRun({ seed, steps, crowd, replicas, journal });
    wrong.push(...faults);
    said.push(...entriesOf(log, "output").map(({ source, text }) => `== ${source}\n${text}`));
    responses = entriesOf(log, "response").length;
  } catch (error) {
    wrong.push(String(error));
  }
  const seconds = ((performance.now() - start) / 1000).toFixed(0);
  console.log(`seed ${seed}: ${wrong.length === 0 ? "ok" : "FAILED"}, ${seconds} s, ${responses} responses`);
  for (const one of wrong) console.log(`  ${one}`);
  if (wrong.length === 0) await Deno.remove(journal);
  else {
    await Deno.writeTextFile(`${folder}/seed-${seed}.log`, said.join("\n"));
    console.log(
      `  journal: ${journal}, beside it what was said (.log)\n  again:   deno task faults:cluster --seed ${seed} --steps ${steps}`,
    );
    failed.push(seed);
  }
}
console.log(`${count - failed.length} of ${count} seeds ok`);
if (failed.length > 0) Deno.exit(1);
await Deno.remove(folder, { recursive: true });
