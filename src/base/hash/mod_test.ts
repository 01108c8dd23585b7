import { expect } from "expect";
import { sha256Hex, shortHash } from "./mod.ts";

// Vectors: printf '' | sha256sum, and RFC 4648 base32 of the same digests by coreutils `base32`.
Deno.test("sha256Hex() agrees with the published vector of the empty text", () => {
  expect(sha256Hex("")).toBe("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
});

Deno.test("shortHash() is the head of lower-case base32 of SHA-256", () => {
  expect(shortHash("")).toBe("4oymiquy7q");
  expect(shortHash("abc")).toBe("xj4bnp4pah");
  expect(shortHash("abc", 4)).toBe("xj4b");
});
