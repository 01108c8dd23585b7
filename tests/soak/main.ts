/**
 * `deno task soak [--minutes N] [--seed S]`: constant change against two replicas on a real API server. Ends with 1 when memory, open
 * files or any of the counted things grow (I15, W6). Linux only: memory comes from /proc.
 * @module
 */
import { FaultSite } from "../cluster/faults/fault_site.ts";
import { TapProcess } from "../cluster/faults/tap_process.ts";
import { Random } from "../faults/random.ts";
import { Churn } from "./churn.ts";
import { type ReadingName, READINGS, readingsOf } from "./readings.ts";
import { growth, type Sample } from "./slope.ts";

/** Between two changes, and between two samples. */
const CHANGE_MS = 250;
const SAMPLE_MS = 5_000;
/** So much of the time at the beginning does not count: caches fill, code is compiled. */
const WARM = 0.3;

function option(name: string, otherwise: number): number {
  const at = Deno.args.indexOf(name);
  if (at < 0) return otherwise;
  const value = Number(Deno.args[at + 1]);
  if (value > 0) return value;
  console.error(`Cannot run: ${name} needs a number above 0`);
  Deno.exit(2);
}

const minutes = option("--minutes", 10);
const seed = option("--seed", 1);

async function soak(): Promise<boolean> {
  await using site = await FaultSite.open({
    audit: false,
    components: ["etcd", "kube-apiserver", "kube-controller-manager"], // which removes what belonged to an EnvoyConfig that went
  });
  for (const replica of site.replicas) {
    await site.start(replica);
    await site.ready(replica);
  }
  await using tap = new TapProcess(site.journal, { tls: await site.site.clientTls(), clients: Churn.clients(site) });
  const churn = new Churn(site, { tap, random: new Random(seed) });
  await churn.begin();
  const samples = site.replicas.map(() => new Map<ReadingName, Sample[]>());
  const start = performance.now();
  const seconds = () => (performance.now() - start) / 1000;
  let sampledAt = -Infinity;
  let refusals = 0;
  while (seconds() < minutes * 60) {
    const changedAt = performance.now();
    await churn.change();
    refusals += site.journal.entries.filter((entry) => entry.kind === "request" && entry.error !== undefined).length;
    site.journal.entries.length = 0; // nobody reads it here
    if (performance.now() - sampledAt >= SAMPLE_MS) {
      sampledAt = performance.now();
      const at = seconds();
      for (const [index, replica] of site.replicas.entries()) {
        for (const [name, value] of Object.entries(await readingsOf(replica)) as [ReadingName, number][]) {
          const known = samples[index]!; // one for each replica
          known.set(name, [...known.get(name) ?? [], { at, value }]);
        }
        replica.process.lines.length = 0;
      }
      progress(at, samples.map((known) => known.get("memory, MB")?.at(-1)?.value ?? 0));
    }
    const left = CHANGE_MS - (performance.now() - changedAt);
    if (left > 0) await new Promise((resolve) => setTimeout(resolve, left));
  }
  console.log(Object.entries({ ...churn.made, refusals }).map(([what, count]) => `${count} ${what}`).join(", "));
  const results = site.replicas.map(({ name }, index) => report(name, samples[index]!));
  await tap.end(); // before the server says goodbye
  return results.every((well) => well);
}

let shownMinute = -1;

function progress(at: number, memory: readonly number[]): void {
  const minute = Math.floor(at / 60);
  if (minute === shownMinute) return;
  shownMinute = minute;
  console.error(`minute ${minute} of ${minutes}: memory ${memory.map((mb) => `${mb.toFixed(0)} MB`).join(", ")}`);
}

/** Prints what became of each reading; whether all stayed within their bounds. */
function report(replica: string, samples: ReadonlyMap<ReadingName, readonly Sample[]>): boolean {
  let well = true;
  console.log(`\n${replica}${" ".repeat(14)}first     last     mean   growth in an hour`);
  for (const [name, all] of samples) {
    const counted = all.slice(Math.floor(all.length * WARM));
    const { perHour, tooMuch, mean, allowed } = growth(counted, READINGS[name]);
    if (tooMuch) well = false;
    const numbers = [counted[0]!.value, counted.at(-1)!.value, mean].map((value) => value.toFixed(1).padStart(8)).join(
      " ",
    );
    const verdict = tooMuch ? `  TOO MUCH: at most ${allowed.toFixed(1)} in this time` : "";
    console.log(`  ${name.padEnd(17)} ${numbers} ${perHour.toFixed(1).padStart(9)}${verdict}`);
  }
  return well;
}

Deno.exit(await soak() ? 0 : 1);
