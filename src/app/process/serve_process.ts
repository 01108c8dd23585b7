import type { Hono } from "hono";
import { type Address, formatAddress } from "../../bootstrap/mod.ts";
import { serveAdmin } from "../admin/mod.ts";
import { metricsApp, probesApp, type ProbeSource } from "./probes.ts";

/** Where a process answers those who look after it; undefined for nowhere. */
export interface ProcessAddresses {
  readonly metricsBindAddress: Address | undefined;
  readonly healthProbeBindAddress: Address | undefined;
}

/** The two small servers of a process. */
export interface ProcessServers extends AsyncDisposable {
  /** With the ports that were really taken; empty for what is off. */
  readonly addresses: { readonly metrics?: string; readonly probes?: string };
}

/** Serves probes and metrics. Throws `unavailable` when an address is taken. */
export async function serveProcess(source: ProbeSource, at: ProcessAddresses): Promise<ProcessServers> {
  await using parts = new AsyncDisposableStack();
  const serve = async (app: Hono, bind: Address, what: string) => {
    const server = await serveAdmin(app, bind, { what });
    parts.defer(() => server.close());
    return formatAddress(server.address);
  };
  const { metricsBindAddress: metrics, healthProbeBindAddress: probes } = at;
  if (metrics && probes && formatAddress(metrics) === formatAddress(probes) && !isAnyPort(metrics)) {
    const both = await serve(probesApp(source).route("/", metricsApp(source)), probes, "probes and metrics");
    const running = parts.move();
    return { addresses: { probes: both, metrics: both }, [Symbol.asyncDispose]: () => running.disposeAsync() };
  }
  const addresses = {
    ...(probes && { probes: await serve(probesApp(source), probes, "probes") }),
    ...(metrics && { metrics: await serve(metricsApp(source), metrics, "metrics") }),
  };
  const running = parts.move();
  return { addresses, [Symbol.asyncDispose]: () => running.disposeAsync() };
}

/** Whether it is for the system to choose a port: then two are meant. */
function isAnyPort(address: Address): boolean {
  return address.kind === "tcp" && address.port === 0;
}
