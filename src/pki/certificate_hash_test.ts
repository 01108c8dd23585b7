import { expect } from "expect";
import { certificateHash } from "./certificate_hash.ts";

Deno.test("certificateHash() is the hash of objects in clusters", () => {
  expect(certificateHash(new TextEncoder().encode("AB"))).toBe("6956b4fc7f");
});
