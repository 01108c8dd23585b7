import { expect } from "expect";
import fc from "fast-check";
import { lines } from "./lines.ts";

async function all(pieces: readonly Uint8Array[], most = 1000): Promise<string[]> {
  const found: string[] = [];
  for await (const line of lines(ReadableStream.from(pieces), most)) found.push(line);
  return found;
}

Deno.test("L6: lines() gives the same lines in whatever pieces they come", async () => {
  const text = fc.array(fc.string({ unit: "grapheme", maxLength: 20 }), { minLength: 1, maxLength: 8 });
  await fc.assert(fc.asyncProperty(text, fc.integer({ min: 1, max: 7 }), async (parts, size) => {
    const wanted = parts.join("\n").split("\n");
    const bytes = new TextEncoder().encode(`${wanted.join("\n")}\n`);
    const pieces = Array.from(
      { length: Math.ceil(bytes.length / size) },
      (_, i) => bytes.slice(i * size, (i + 1) * size),
    );
    expect(await all(pieces)).toEqual(wanted);
  }));
});

Deno.test("lines() gives the last line without its end, and takes no line without an end in sight", async () => {
  expect(await all([new TextEncoder().encode("a\nb")])).toEqual(["a", "b"]);
  const endless = [new TextEncoder().encode("x".repeat(600)), new TextEncoder().encode("x".repeat(600))];
  await expect(all(endless)).rejects.toThrow("more than 1000 characters");
});
