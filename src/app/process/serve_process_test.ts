import { expect } from "expect";
import { parseAddress } from "../../bootstrap/mod.ts";
import { freePort } from "../../../tests/envoy/harness/mod.ts";
import { serveProcess } from "./mod.ts";

function anywhere() {
  return parseAddress(":0", { anyPort: true, anyHost: true });
}

async function ask(address: string | undefined, path: string): Promise<{ status: number; body: string }> {
  const response = await fetch(`http://localhost${address}${path}`);
  return { status: response.status, body: await response.text() };
}

Deno.test("serveProcess() answers probes and metrics apart, on all addresses, and says what is missing", async () => {
  let missing = ["the certificate is not there yet", "the list of EnvoyConfigs is being read"];
  const source = {
    missing: () => missing,
    metrics: () => Promise.resolve({ contentType: "text/plain; version=0.0.4", text: "a 1\n" }),
  };
  await using servers = await serveProcess(source, {
    metricsBindAddress: anywhere(),
    healthProbeBindAddress: anywhere(),
  });
  const { probes, metrics } = servers.addresses;
  expect(await ask(probes, "/healthz")).toEqual({ status: 200, body: "ok\n" });
  expect(await ask(probes, "/readyz")).toEqual({ status: 503, body: `not ready\n${missing.join("\n")}\n` });
  missing = [];
  expect(await ask(probes, "/readyz")).toEqual({ status: 200, body: "ok\n" });
  expect(await ask(probes, "/metrics")).toEqual({ status: 404, body: "not found\n" });
  expect(await ask(metrics, "/metrics")).toEqual({ status: 200, body: "a 1\n" });
  expect(await ask(metrics, "/readyz")).toEqual({ status: 404, body: "not found\n" });
});

Deno.test("serveProcess() serves nothing where it is off, and leaves nothing behind when an address is taken", async () => {
  const source = { missing: () => [], metrics: () => Promise.resolve({ contentType: "", text: "" }) };
  await using nowhere = await serveProcess(source, {
    metricsBindAddress: undefined,
    healthProbeBindAddress: undefined,
  });
  expect(nowhere.addresses).toEqual({});
  await using first = await serveProcess(source, { metricsBindAddress: anywhere(), healthProbeBindAddress: undefined });
  const taken = parseAddress(first.addresses.metrics ?? "", { anyHost: true });
  await expect(serveProcess(source, { metricsBindAddress: taken, healthProbeBindAddress: anywhere() })).rejects.toThrow(
    `Cannot serve metrics on "${first.addresses.metrics}": another program listens there`,
  );
});

Deno.test("serveProcess() answers both on one port when the addresses are the same", async () => {
  const source = {
    missing: () => ["patience"],
    metrics: () => Promise.resolve({ contentType: "text/plain", text: "a 1\n" }),
  };
  const port = freePort();
  const address = parseAddress(`:${port}`, { anyHost: true });
  await using servers = await serveProcess(source, { metricsBindAddress: address, healthProbeBindAddress: address });
  expect(servers.addresses).toEqual({ metrics: `:${port}`, probes: `:${port}` });
  expect(await ask(`:${port}`, "/metrics")).toEqual({ status: 200, body: "a 1\n" });
  expect(await ask(`:${port}`, "/readyz")).toEqual({ status: 503, body: "not ready\npatience\n" });
  expect((await ask(`:${port}`, "/else")).status).toBe(404);
});
