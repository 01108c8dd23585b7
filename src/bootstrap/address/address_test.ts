import { expect } from "expect";
import fc from "fast-check";
import { formatAddress, parseAddress } from "./mod.ts";

Deno.test("parseAddress() reads host and port, bracketed IPv6 and Unix sockets", () => {
  expect(parseAddress("127.0.0.1:18000")).toEqual({ kind: "tcp", host: "127.0.0.1", port: 18000 });
  expect(parseAddress("xds.demo.svc:1")).toEqual({ kind: "tcp", host: "xds.demo.svc", port: 1 });
  expect(parseAddress("[::1]:65535")).toEqual({ kind: "tcp", host: "::1", port: 65535 });
  expect(parseAddress("unix:/run/xds.sock")).toEqual({ kind: "unix", path: "/run/xds.sock" });
  expect(parseAddress("unix:///run/xds.sock")).toEqual({ kind: "unix", path: "/run/xds.sock" });
  expect(parseAddress("127.0.0.1:0", { anyPort: true })).toEqual({ kind: "tcp", host: "127.0.0.1", port: 0 });
});

const WRONG: readonly [text: string, why: string][] = [
  ["", "HOST:PORT, [IPV6]:PORT or unix:PATH is needed"],
  ["localhost", "HOST:PORT, [IPV6]:PORT or unix:PATH is needed"],
  [":18000", "the host is missing; 0.0.0.0 or [::] stands for all addresses"],
  ["::1:18000", "an IPv6 address needs brackets, as in [::1]:18000"],
  ["[localhost]:1", "only an IPv6 address may stand in brackets"],
  ["[::g]:1", "only an IPv6 address may stand in brackets"],
  ["localhost:0", "a port is 1 to 65535"],
  ["localhost:65536", "a port is 1 to 65535"],
  ["localhost:-1", "HOST:PORT, [IPV6]:PORT or unix:PATH is needed"],
  ["1.2.3.256:80", "the host is no address and no DNS name"],
  ["a b:80", "the host is no address and no DNS name"],
  ["http://x:80", "HOST:PORT, [IPV6]:PORT or unix:PATH is needed"],
  ["unix:", "the path of the socket is missing"],
  [`unix:/${"x".repeat(107)}`, "the path of a Unix socket has at most 107 bytes"],
];

for (const [text, why] of WRONG) {
  Deno.test(`parseAddress() refuses ${JSON.stringify(text.slice(0, 30))}`, () => {
    expect(() => parseAddress(text)).toThrow(`Cannot read address ${JSON.stringify(text)}: ${why}`);
  });
}

Deno.test("formatAddress() is undone by parseAddress()", () => {
  const address = fc.oneof(
    fc.record({
      kind: fc.constant("tcp" as const),
      host: fc.oneof(fc.ipV4(), fc.ipV6(), fc.domain()),
      port: fc.integer({ min: 1, max: 65535 }),
    }),
    fc.record({
      kind: fc.constant("unix" as const),
      path: fc.stringMatching(/^\/[a-z/]{1,50}x$/).filter((p) => !p.startsWith("//")),
    }),
  );
  fc.assert(fc.property(address, (a) => expect(parseAddress(formatAddress(a))).toEqual(a)));
});
