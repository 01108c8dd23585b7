import { expect } from "expect";
import { createAuthority } from "../../../tests/certificates.ts";
import { checkKeyPair } from "./key_pair.ts";

function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

Deno.test("checkKeyPair() tells whether key and certificate belong together, without showing them", async () => {
  const authority = await createAuthority();
  const one = await authority.issue({ commonName: "one" });
  const other = await authority.issue({ commonName: "other" });
  expect(checkKeyPair(bytes(one.cert), bytes(one.key))).toBeUndefined();
  expect(checkKeyPair(bytes(one.cert + authority.cert), bytes(one.key))).toBeUndefined();
  expect(checkKeyPair(bytes(one.cert), bytes(other.key))).toBe("tls.key does not belong to the certificate in tls.crt");
  expect(checkKeyPair(bytes("canary"), bytes(one.key))).toBe("tls.crt is no certificate that can be read");
  expect(checkKeyPair(bytes(one.cert), bytes("canary"))).toBe("tls.key is no private key that can be read");
  expect(checkKeyPair(bytes(one.cert), bytes(one.cert))).toBe("tls.key is no private key that can be read");
});
