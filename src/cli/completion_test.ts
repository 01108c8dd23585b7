import { expect } from "expect";
import { COMMANDS } from "./commands.ts";
import { SHELLS } from "./completion.ts";
import { runCaptured } from "./fake_terminal.ts";

async function script(shell: string): Promise<string> {
  const { status, out, err } = await runCaptured(["completion", shell]);
  expect([status, err]).toEqual([0, ""]);
  return out;
}

/** Asks a real bash what it would offer after `words`. */
async function offeredByBash(words: readonly string[], env: Record<string, string> = {}): Promise<string[]> {
  const ask = `${await script("bash")}
    COMP_WORDS=(${words.map((word) => `'${word}'`).join(" ")}); COMP_CWORD=${words.length - 1}; _chancery
    printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr, success } = await new Deno.Command("bash", { args: ["--norc", "-c", ask], env }).output();
  expect(new TextDecoder().decode(stderr)).toBe("");
  expect(success).toBe(true);
  return new TextDecoder().decode(stdout).split("\n").filter(Boolean);
}

Deno.test("bash completes commands, options and their values", async () => {
  expect(await offeredByBash(["chancery", "st"])).toEqual(["standalone", "status"]);
  expect(await offeredByBash(["chancery", "standalone", "--xds"])).toEqual(["--xds-bind"]);
  expect(await offeredByBash(["chancery", "standalone", "--on-delete", ""])).toEqual(["keep", "empty"]);
  expect(await offeredByBash(["chancery", "completion", ""])).toEqual([...SHELLS]);
  expect(await offeredByBash(["chancery", "bootstrap", "--node-id", ""])).toEqual([]);
});

Deno.test("bash completes names with what the server knows", async () => {
  const bin = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(`${bin}/chancery`, `#!/bin/sh\necho "default/edge demo/shop" for "$*"\n`, { mode: 0o755 });
    const offered = await offeredByBash(["chancery", "history", "de"], { PATH: `${bin}:${Deno.env.get("PATH")}` });
    expect(offered).toEqual(["default/edge", "demo/shop"]);
    expect(await offeredByBash(["chancery", "status", "status"], { PATH: `${bin}:${Deno.env.get("PATH")}` }))
      .toEqual(["status"]); // the words of the command line that was run
    expect(await offeredByBash(["chancery", "status", "p"], { PATH: `${bin}:${Deno.env.get("PATH")}` })).toEqual([
      "pods",
    ]);
    expect(await offeredByBash(["chancery", "certs", "ro"], { PATH: `${bin}:${Deno.env.get("PATH")}` })).toEqual([
      "rotate",
    ]);
  } finally {
    await Deno.remove(bin, { recursive: true });
  }
});

for (const shell of SHELLS) {
  Deno.test(`the ${shell} completion names every command and every option`, async () => {
    const text = await script(shell);
    for (const [name, entry] of Object.entries(COMMANDS)) {
      expect(text).toContain(name);
      for (const option of Object.keys((await entry.load()).command.options)) {
        expect(text).toContain(
          `${shell === "fish" ? "-l " : "--"}${option.replace(/[A-Z]/g, (c) => `-${c.toLowerCase()}`)}`,
        );
      }
    }
  });
}

Deno.test("chancery completion refuses a shell that it does not know", async () => {
  const { status, err } = await runCaptured(["completion", "tcsh"]);
  expect(status).toBe(2);
  expect(err).toContain('Cannot complete for "tcsh": known shells are bash, zsh, fish');
});
