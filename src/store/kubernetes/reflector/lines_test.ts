import { expect } from "expect";
import fc from "fast-check";
import { Lines } from "./lines.ts";

Deno.test("Lines cuts the same lines out of any pieces", () => {
  const text = fc.array(fc.string({ unit: "grapheme" }).map((line) => line.replaceAll("\n", " ")), { maxLength: 8 });
  const cuts = fc.array(fc.nat({ max: 60 }), { maxLength: 40 });
  fc.assert(fc.property(text, fc.boolean(), cuts, (lines, ended, sizes) => {
    const bytes = new TextEncoder().encode(lines.join("\n") + (ended ? "\n" : ""));
    const reader = new Lines();
    const got: string[] = [];
    let at = 0;
    for (const size of [...sizes, bytes.length]) {
      got.push(...reader.take(bytes.subarray(at, at + size)));
      at += size;
    }
    // what has no line feed at its end is not complete
    expect(got).toEqual((ended ? lines : lines.slice(0, -1)).filter((line) => line.trim() !== ""));
  }));
});

Deno.test("Lines gives up on a line without end", () => {
  const lines = new Lines(100);
  const piece = new TextEncoder().encode("x".repeat(60));
  expect(lines.take(piece)).toEqual([]);
  expect(() => lines.take(piece)).toThrow("one line is too long");
});
