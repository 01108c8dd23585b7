import { type Address, formatAddress } from "../../bootstrap/address/mod.ts";
import { errorMessage } from "../../base/mod.ts";
import { everyAddress } from "../every_address.ts";
import { LoaderFailure } from "./failure.ts";

/** What is told of the loader. */
export interface ProbeSource {
  /** What is still to be done before Envoy may start; empty when nothing is. */
  missing(): readonly string[];
  metrics(): string;
}

/** Where it is told; undefined for nowhere. */
export interface ProbeAddresses {
  readonly metricsBindAddress: Address | undefined;
  readonly healthProbeBindAddress: Address | undefined;
}

/** Serves `/healthz`, `/readyz` and `/metrics`; both on one port when the addresses are the same. */
export function serveProbes(source: ProbeSource, at: ProbeAddresses): AsyncDisposable {
  const { metricsBindAddress: metrics, healthProbeBindAddress: probes } = at;
  const servers: Deno.HttpServer[] = [];
  const same = metrics && probes && formatAddress(metrics) === formatAddress(probes);
  if (probes) servers.push(serve(probes, (path) => probe(source, path) ?? (same ? metric(source, path) : undefined)));
  if (metrics && !same) servers.push(serve(metrics, (path) => metric(source, path)));
  return {
    async [Symbol.asyncDispose]() {
      await Promise.all(servers.map((server) => server.shutdown()));
    },
  };
}

function probe(source: ProbeSource, path: string): Response | undefined {
  if (path === "/healthz") return text("ok\n");
  if (path !== "/readyz") return undefined;
  const missing = source.missing();
  return missing.length === 0 ? text("ok\n") : text(`not ready\n${missing.map((line) => `${line}\n`).join("")}`, 503);
}

function metric(source: ProbeSource, path: string): Response | undefined {
  return path === "/metrics" ? text(source.metrics(), 200, "text/plain; version=0.0.4; charset=utf-8") : undefined;
}

function serve(at: Address, answer: (path: string) => Response | undefined): Deno.HttpServer {
  try {
    return Deno.serve({
      ...(at.kind === "tcp" ? { port: at.port, hostname: at.host || everyAddress() } : { path: at.path }),
      onListen: () => {},
    }, (request) => answer(new URL(request.url).pathname) ?? text("not found\n", 404));
  } catch (cause) {
    throw new LoaderFailure("usage", `Cannot answer probes on ${formatAddress(at)}: ${errorMessage(cause)}`, { cause });
  }
}

function text(body: string, status = 200, type = "text/plain; charset=utf-8"): Response {
  return new Response(body, { status, headers: { "content-type": type, "cache-control": "no-store" } });
}
