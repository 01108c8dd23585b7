import { expect } from "expect";
import type { Finding } from "../base/mod.ts";
import { createLogger, FindingLog } from "./mod.ts";

function recorder() {
  const lines: string[] = [];
  const log = createLogger({ format: "console", now: () => 0, write: (line) => lines.push(line.slice(13).trimEnd()) });
  return { findings: new FindingLog(log), said: () => lines.splice(0) };
}

function finding(message: string, line = 1, severity: Finding["severity"] = "error"): Finding {
  return { severity, path: ["spec"], message, source: { file: "a.yaml", line, column: 2 } };
}

Deno.test("FindingLog says a finding once when it appears and once when it is solved", () => {
  const { findings, said } = recorder();
  const bad = { about: "EnvoyConfig/d/a", finding: finding("port is wrong") };
  findings.report("directory", [bad]);
  expect(said()).toEqual(["ERROR a.yaml:1:2: error: spec: port is wrong about=EnvoyConfig/d/a"]);
  findings.report("directory", [{ ...bad, finding: finding("port is wrong", 7) }]);
  expect(said()).toEqual([]);
  expect(findings.open().map((open) => open.finding.source?.line)).toEqual([7]);
  findings.report("directory", []);
  expect(said()).toEqual(["INFO  Solved: a.yaml:7:2: error: spec: port is wrong about=EnvoyConfig/d/a"]);
  expect(findings.open()).toEqual([]);
});

Deno.test("FindingLog keeps the findings of different finders apart", () => {
  const { findings, said } = recorder();
  findings.report("directory", [{ about: "a", finding: finding("x") }]);
  findings.report("snapshot", [{ about: "a", finding: finding("y", 1, "warning") }]);
  findings.report("snapshot", []);
  expect(said().map((line) => line.slice(0, 5))).toEqual(["ERROR", "WARN ", "INFO "]);
  expect(findings.open().map((open) => open.finding.message)).toEqual(["x"]);
});

Deno.test("FindingLog shows errors first, then by place", () => {
  const { findings } = recorder();
  findings.report("one", [
    { about: "a", finding: finding("w", 1, "warning") },
    { about: "a", finding: finding("late", 10) },
    { about: "a", finding: finding("early", 9) },
  ]);
  expect(findings.open().map((open) => open.finding.message)).toEqual(["early", "late", "w"]);
});

Deno.test("FindingLog takes what two finders see for one finding, until neither sees it", () => {
  const { findings, said } = recorder();
  const placed = { about: "a", finding: finding("x") };
  const { source: _source, ...bare } = placed.finding;
  findings.report("one", [{ about: "a", finding: bare }]);
  findings.report("two", [placed]);
  expect(said().length).toBe(1);
  expect(findings.open()).toEqual([placed]);
  findings.report("one", []);
  expect(said()).toEqual([]);
  findings.report("two", []);
  expect(said().map((line) => line.slice(0, 12))).toEqual(["INFO  Solved"]);
});
