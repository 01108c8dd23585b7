import { expect } from "expect";
import { formatRecord, parseRecord } from "./record.ts";

Deno.test("a record is read as it was written", () => {
  const record = new Map([["b/a.yaml", "configmap n/b"], ["a.yaml", "configmap n/a"]]);
  expect(parseRecord(formatRecord(record))).toEqual(new Map([...record].reverse()));
});

for (const text of ["", "{", "null", '{"version": 2, "files": {"a": "b"}}', '{"version": 1, "files": null}']) {
  Deno.test(`parseRecord() believes nothing of ${JSON.stringify(text)}`, () => {
    expect(parseRecord(text).size).toBe(0);
  });
}

Deno.test("parseRecord() never gives a path outside, which would be removed", () => {
  const files = { "../a": "x", "/etc/passwd": "x", "a/../../b": "x", "a/b/c": "x", "..": "x", "ok": "x", "n": 1 };
  expect([...parseRecord(JSON.stringify({ version: 1, files })).keys()]).toEqual(["ok"]);
});
