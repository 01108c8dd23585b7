/**
 * `deno task walk [--test] [--keep-deno]`: does what README.md says for its two commands as somebody would who has nothing yet: a fresh
 * clone, an empty home, empty caches, the programs of PATH, and no Deno among them (`npx` fetches it), unless `--keep-deno`. Reports the
 * minutes that each command took. Without `--test`, which runs all tests, only the first.
 * @module
 */
import { clone, freshEnvironment, untilAnswered, untilEnded } from "./walk/mod.ts";

/** `npx --yes deno@2.9.6 task NAME`, as README.md has it. */
async function commandOf(checkout: string, task: string, withDeno: boolean): Promise<readonly string[]> {
  const readme = await Deno.readTextFile(`${checkout}/README.md`);
  const [without] = new RegExp(`npx --yes deno@[\\d.]+ task ${task}\\b`).exec(readme) ?? [];
  if (without === undefined) throw new Error(`Cannot find the command for the task "${task}" in README.md`);
  return withDeno ? ["deno", "task", task] : without.split(" ");
}

function minutes(ms: number): string {
  return (ms / 60_000).toFixed(1);
}

if (import.meta.main) {
  const [withDeno, withTests] = [Deno.args.includes("--keep-deno"), Deno.args.includes("--test")];
  const top = decodeURIComponent(new URL("..", import.meta.url).pathname);
  const folder = await Deno.makeTempDir({ prefix: "chancery-walk-" });
  let failed = false;
  try {
    const checkout = `${folder}/chancery`;
    await clone(top, checkout);
    const env = await freshEnvironment(folder, withDeno);
    const [program, ...dev] = await commandOf(checkout, "dev", withDeno);
    console.log(`run: ${[program, ...dev].join(" ")}`);
    const ran = await untilAnswered({ command: [program!, ...dev], cwd: checkout, env });
    console.log(`run: Envoy answered after ${minutes(ran)} minutes`);
    if (withTests) {
      const test = await commandOf(checkout, "test", withDeno);
      console.log(`test: ${test.join(" ")}`);
      const { code, ms } = await untilEnded({ command: test, cwd: checkout, env });
      console.log(`test: ended with ${code} after ${minutes(ms)} minutes`);
      failed = code !== 0;
    }
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    failed = true;
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
  Deno.exit(failed ? 1 : 0);
}
