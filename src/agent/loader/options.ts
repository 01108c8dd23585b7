import { type Address, formatAddress } from "../../bootstrap/address/mod.ts";
import { ChanceryError } from "../../base/mod.ts";
import type { LogLevel } from "../../telemetry/mod.ts";
import { parseNamedSource, type Source } from "./source.ts";

/** The values of the command line. */
export interface LoaderValues {
  readonly apiserver: string | undefined;
  readonly namespace: string | undefined;
  readonly configmap: readonly string[];
  readonly secret: readonly string[];
  readonly selector: string | undefined;
  readonly from: string | undefined;
  readonly tokenFile: string;
  readonly caFile: string;
  readonly insecure: boolean;
  readonly onetime: boolean;
  /** Milliseconds. */
  readonly syncInterval: number;
  readonly watch: boolean;
  readonly dryRun: boolean;
  readonly outputDir: string;
  readonly layout: "files" | "atomic" | "runtime";
  readonly runtimeLayout: boolean;
  readonly fileMode: string;
  readonly allowEmpty: boolean;
  /** Milliseconds. */
  readonly removalDelay: number;
  readonly envoyAdmin: string | undefined;
  readonly metricsBindAddress: Address | undefined;
  readonly healthProbeBindAddress: Address | undefined;
  readonly logFormat: "auto" | "json" | "console";
  readonly logLevel: LogLevel;
}

/**
 * The sources that the command line names.
 * @param namespace where objects are that name no namespace; empty when nobody says
 * @throws {ChanceryError} `invalid-input`
 */
export function sourcesOf(
  { configmap, secret, selector, from }: Pick<LoaderValues, "configmap" | "secret" | "selector" | "from">,
  namespace: string,
): readonly Source[] {
  const sources: Source[] = [
    ...configmap.map((text) => parseNamedSource("configmap", text, namespace)),
    ...secret.map((text) => parseNamedSource("secret", text, namespace)),
  ];
  if (selector !== undefined) {
    if (namespace === "") throw wrong("--selector needs a namespace: set --namespace, NS or POD_NAMESPACE");
    sources.push({ id: `selector ${selector}`, kind: "selector", namespace, selector });
  }
  if (from !== undefined) {
    if (sources.length > 0) throw wrong("--from reads a directory instead of a cluster: leave out the other sources");
    sources.push({ id: `directory ${from}`, kind: "directory", path: from.replace(/(?<=.)\/+$/, "") });
  }
  if (sources.length === 0) {
    throw wrong("nothing to load: name a --configmap, --secret, --selector, or a directory by --from");
  }
  const seen = new Map(sources.map((source) => [source.id, source]));
  if (seen.size < sources.length) throw wrong("the same object is named twice");
  return sources;
}

/**
 * The API server when the command line names none: that of the pod, as Kubernetes tells every container. Its short name, which the
 * original takes, is known in the namespace "default" alone.
 */
export function impliedApiServer(env: (name: string) => string | undefined): string {
  const host = env("KUBERNETES_SERVICE_HOST");
  const port = env("KUBERNETES_SERVICE_PORT");
  return host && port ? `https://${formatAddress({ kind: "tcp", host, port: Number(port) })}` : "https://kubernetes";
}

/** `0644` → 420. @throws {ChanceryError} `invalid-input` */
export function parseMode(text: string): number {
  if (/^0?[4-7][0-7]{2}$/.test(text)) return parseInt(text, 8);
  throw wrong(`${JSON.stringify(text)} is no mode of a file that its owner can read, such as 0644`);
}

function wrong(message: string): ChanceryError {
  return new ChanceryError("invalid-input", message);
}
