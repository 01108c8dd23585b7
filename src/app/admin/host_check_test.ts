import { expect } from "expect";
import fc from "fast-check";
import { isTrustedHost } from "./mod.ts";

Deno.test("isTrustedHost() takes addresses and localhost, with and without a port", () => {
  for (
    const host of ["127.0.0.1", "127.0.0.1:18080", "10.1.2.3:80", "localhost", "LOCALHOST:1", "[::1]", "[::1]:18080"]
  ) {
    expect([host, isTrustedHost(host)]).toEqual([host, true]);
  }
});

Deno.test("isTrustedHost() refuses names that somebody else may point here", () => {
  const hosts = [
    undefined,
    "",
    "evil.example",
    "evil.example:18080",
    "localhost.evil.example",
    "127.0.0.1.nip.io",
    "127.0.0.1@evil.example",
    "1.2.3.256",
    "1.2.3",
    "[evil.example]",
    "[::1].evil.example",
    "localhost:18080:1",
    "localhost, evil.example",
  ];
  for (const host of hosts) expect([host, isTrustedHost(host)]).toEqual([host, false]);
});

Deno.test("isTrustedHost() takes the names it is told, exactly", () => {
  expect(isTrustedHost("Admin.Demo.svc:80", ["admin.demo.svc"])).toBe(true);
  expect(isTrustedHost("x.admin.demo.svc", ["admin.demo.svc"])).toBe(false);
});

Deno.test("isTrustedHost() refuses every DNS name, with any port", () => {
  const port = fc.option(fc.integer({ min: 0, max: 65535 }), { nil: undefined });
  fc.assert(fc.property(fc.domain(), port, (name, at) => !isTrustedHost(at === undefined ? name : `${name}:${at}`)));
});
