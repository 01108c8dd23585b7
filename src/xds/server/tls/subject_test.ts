import { X509Certificate } from "node:crypto";
import { expect } from "expect";
import { createAuthority } from "../../../../tests/certificates.ts";
import { subjectText } from "./subject.ts";

Deno.test("subjectText() is the subject in one line, or the names of a certificate that has none", async () => {
  const authority = await createAuthority();
  const of = async (request: Parameters<typeof authority.issue>[0]) =>
    subjectText(new X509Certificate((await authority.issue(request)).cert));
  expect(await of({ commonName: "edge", organization: "shop" })).toBe("CN=edge, O=shop");
  expect(await of({ commonName: "", dns: ["a.svc", "b.svc"] })).toBe("DNS:a.svc, DNS:b.svc");
  expect(await of({ commonName: "" })).toBe("no name");
});
