import { expect } from "expect";
import { parseAddress } from "../../bootstrap/mod.ts";
import { xdsSecurity } from "./xds_security.ts";

function security(bind: string, options: Partial<Parameters<typeof xdsSecurity>[0]> = {}) {
  const none = { tlsCert: undefined, tlsKey: undefined, tlsCa: undefined, insecureXds: false };
  return xdsSecurity({ xdsBind: parseAddress(bind), ...none, ...options });
}

const FILES = { tlsCert: "c", tlsKey: "k", tlsCa: "a" };

Deno.test("xdsSecurity() lets plain text stay on this machine", () => {
  for (const bind of ["127.0.0.1:1", "[::1]:1", "localhost:1", "unix:/x"]) expect(security(bind)).toBeUndefined();
  for (
    const bind of ["0.0.0.0:1", "[::]:1", "10.0.0.1:1", "xds.demo:1", "localhost.evil.com:1", "127.0.0.1.nip.io:1"]
  ) {
    expect(() => security(bind)).toThrow(`Cannot serve xDS on "${bind}" in plain text`);
    expect(security(bind, { insecureXds: true })).toBeUndefined();
  }
});

Deno.test("xdsSecurity() uses mutual TLS wherever it is given, and never half of it", () => {
  expect(security("0.0.0.0:1", FILES)).toEqual({ cert: "c", key: "k", ca: "a" });
  expect(security("127.0.0.1:1", { ...FILES, insecureXds: true })).toEqual({ cert: "c", key: "k", ca: "a" });
  for (const missing of ["tlsCert", "tlsKey", "tlsCa"]) {
    expect(() => security("127.0.0.1:1", { ...FILES, [missing]: undefined, insecureXds: true })).toThrow(
      "belong together",
    );
  }
});
