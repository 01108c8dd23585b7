import { expect } from "expect";
import { createLogger, type LoggerOptions, type LogLevel, Redacted } from "./mod.ts";

function recorder(options: Partial<LoggerOptions> = {}) {
  const lines: string[] = [];
  return { lines, log: createLogger({ now: () => 1_700_000_000_123, write: (line) => lines.push(line), ...options }) };
}

Deno.test("createLogger() writes one JSON object per line", () => {
  const { lines, log } = recorder();
  log.with({ node: "edge" }).info("Served", { streams: 3, ok: true, nothing: undefined });
  expect(lines).toEqual([
    '{"time":"2023-11-14T22:13:20.123Z","level":"info","message":"Served","node":"edge","streams":3,"ok":true}\n',
  ]);
});

Deno.test("createLogger() leaves out lines below its level", () => {
  const written = (level: LogLevel) => {
    const { lines, log } = recorder({ level, format: "console" });
    for (const at of ["debug", "info", "warn", "error"] as const) log[at]("x");
    return lines.length;
  };
  expect([written("debug"), written("info"), written("warn"), written("error")]).toEqual([4, 3, 2, 1]);
});

Deno.test("createLogger() never lets a field replace time, level or message", () => {
  const { lines, log } = recorder();
  log.warn("real", { message: "forged", level: "info" });
  expect(JSON.parse(lines[0]!)).toEqual({
    time: "2023-11-14T22:13:20.123Z",
    level: "warn",
    message: "real",
    message_: "forged",
    level_: "info",
  });
});

Deno.test("createLogger() in console format shows control characters instead of sending them", () => {
  const { lines, log } = recorder({ format: "console" });
  log.error("a\nb\x1b[2J\x9bx", { text: "c\r\nd", word: "e:1" });
  expect(lines).toEqual(['22:13:20.123 ERROR a\\nb\\u001b[2J?x text="c\\r\\nd" word=e:1\n']);
});

Deno.test("createLogger() colors only when told to", () => {
  const { lines, log } = recorder({ format: "console", color: true });
  log.info("x");
  expect(lines[0]).toContain("\x1b[36mINFO");
});

Deno.test("createLogger() cuts texts that are too long for a line", () => {
  const { lines, log } = recorder();
  log.info("x", { envoy: "y".repeat(100_000) });
  expect(lines[0]!.length).toBeLessThan(5000);
  expect(lines[0]).toContain("(100000 characters)");
});

Deno.test("W1: redacted bytes show in no text that a program makes of values", () => {
  const canary = "canary-5f1e";
  const secret = new Redacted(new TextEncoder().encode(canary));
  const shown = [
    `${secret}`,
    String(secret),
    secret + "",
    JSON.stringify({ secret }),
    Deno.inspect({ secret }, { depth: 9 }),
    new Error(`x ${secret}`).message,
  ];
  for (const text of shown) {
    expect(text).toContain("[redacted]");
    expect(text).not.toContain(canary);
    expect(text).not.toContain("99, 97"); // the first bytes as numbers
  }
  expect(new TextDecoder().decode(secret.reveal())).toBe(canary);
});
