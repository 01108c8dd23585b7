import { expect } from "expect";
import { COMMANDS } from "./commands.ts";
import { runCaptured } from "./fake_terminal.ts";
import { ENVOY_API, VERSION } from "./version.ts";

Deno.test("chancery version prints both versions", async () => {
  expect(await runCaptured(["version"])).toEqual({
    status: 0,
    out: `chancery ${VERSION}\nenvoy API ${ENVOY_API}\n`,
    err: "",
  });
  const { out } = await runCaptured(["version", "-o", "json"]);
  expect(JSON.parse(out)).toEqual({ version: VERSION, envoyApi: ENVOY_API });
  expect(VERSION).toMatch(/^\d+\.\d+\.\d+/);
  expect(ENVOY_API).toMatch(/^1\.\d+\.\d+$/);
});

Deno.test("chancery --version answers with status 0", async () => {
  const { status, out } = await runCaptured(["--version"]);
  expect([status, out]).toEqual([0, `chancery ${VERSION} (Envoy API ${ENVOY_API})\n`]);
});

Deno.test("chancery without a command shows its help on standard error with status 2", async () => {
  const { status, out, err } = await runCaptured([]);
  expect([status, out]).toEqual([2, ""]);
  expect(err).toContain("Usage: chancery COMMAND [options]");
});

for (const asked of [["-h"], ["--help"], ["help"]]) {
  Deno.test(`chancery ${asked[0]} lists the commands on standard output`, async () => {
    const { status, out, err } = await runCaptured(asked);
    expect([status, err]).toEqual([0, ""]);
    for (const [name, { summary }] of Object.entries(COMMANDS)) expect(out).toMatch(new RegExp(`${name} +${summary}`));
    expect(out).toContain("Exit status: 0 as wished");
  });
}

for (const [name, entry] of Object.entries(COMMANDS)) {
  Deno.test(`chancery ${name} --help says what the table says, with examples`, async () => {
    const { command } = await entry.load();
    expect(command.summary).toBe(entry.summary);
    const { status, out } = await runCaptured(["help", name]);
    expect(status).toBe(0);
    expect(out).toContain(command.summary);
    expect(command.examples.length).toBeGreaterThan(0);
    for (const { run } of command.examples) {
      expect(run).toContain(`chancery ${name}`);
      expect(out).toContain(run);
    }
    for (const option of Object.keys(command.options)) {
      expect(out).toContain(`--${option.replace(/[A-Z]/g, (c) => `-${c.toLowerCase()}`)}`);
    }
  });
}

Deno.test("a misspelt command is answered with a suggestion and status 2", async () => {
  expect(await runCaptured(["standalon"])).toEqual({
    status: 2,
    out: "",
    err: 'error: unknown command "standalon"\n(Did you mean standalone?)\nTry: chancery --help\n',
  });
});

Deno.test("a misspelt option is answered with a suggestion and status 2", async () => {
  expect(await runCaptured(["standalone", "--xds-bnd", "x"])).toEqual({
    status: 2,
    out: "",
    err: 'error: unknown option "--xds-bnd"\n(Did you mean --xds-bind?)\nTry: chancery standalone --help\n',
  });
});

Deno.test("every mistake in the options is named at once, with where it was made", async () => {
  const { status, err } = await runCaptured(["standalone", "--on-delete", "kep"], {
    env: { CHANCERY_REMOVAL_DELAY: "5x", CHANCERY_DATA: "d" },
  });
  expect(status).toBe(2);
  expect(err).toBe(
    "error: --config (or CHANCERY_CONFIG) is required\n" +
      'error: --on-delete: "kep" is none of keep, empty, did you mean "keep"?\n' +
      'error: CHANCERY_REMOVAL_DELAY: "5x" is not a duration such as 500ms, 60s or 1h30m\n' +
      "Try: chancery standalone --help\n",
  );
});

Deno.test("too many words are refused", async () => {
  const { status, err } = await runCaptured(["version", "now"]);
  expect(status).toBe(2);
  expect(err).toContain('too many arguments for "version"');
});

Deno.test("colors appear only where they are wanted", async () => {
  const escape = "\x1b[";
  expect((await runCaptured(["--help"], { color: true })).out).toContain(escape);
  expect((await runCaptured(["--help"])).out).not.toContain(escape);
  expect((await runCaptured(["standalone"])).err).not.toContain(escape);
});
