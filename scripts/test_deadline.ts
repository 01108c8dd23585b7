/**
 * Loaded before each test file: gives every `Deno.test` that has no `timeout` of its own the one in `TEST_DEADLINE_MS`, so that
 * a hang is a failure with a name and not a run that never ends.
 * @module
 */

const deadlineMs = Number(Deno.env.get("TEST_DEADLINE_MS") ?? 60_000);
const register = Deno.test;

/** The many ways to call `Deno.test`, brought into one definition; later arguments win, as they do there. */
function definitionOf(args: readonly unknown[]): Deno.TestDefinition {
  let definition: Partial<Deno.TestDefinition> = {};
  for (const arg of args) {
    if (typeof arg === "string") definition = { ...definition, name: arg };
    else if (typeof arg === "function") {
      // The signatures of Deno.test allow no other function here.
      definition = { name: arg.name, ...definition, fn: arg as Deno.TestDefinition["fn"] };
    } else definition = { ...(arg as Deno.TestDefinition), ...definition };
  }
  return { timeout: deadlineMs, ...definition } as Deno.TestDefinition;
}

Object.assign(Deno, { test: Object.assign((...args: unknown[]) => register(definitionOf(args)), register) });
