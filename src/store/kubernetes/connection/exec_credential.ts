import { ChanceryError, type Clock } from "../../../base/mod.ts";
import type { ExecPlugin } from "./access.ts";

/** Credentials that a program printed. */
export interface ExecCredential {
  readonly token?: string;
  /** PEM. */
  readonly certificate?: string;
  /** PEM. */
  readonly key?: string;
  /** Milliseconds since the epoch; `undefined` when they last until they are refused. */
  readonly expiresAt?: number;
}

/** Longest run of a plugin, in milliseconds: it may open a browser and wait for its user. */
const DEADLINE_MS = 60_000;

/** Runs a credential plugin (https://kubernetes.io/docs/reference/access-authn-authz/authentication/#client-go-credential-plugins). */
export async function runExecPlugin(
  plugin: ExecPlugin,
  { clock, cluster }: { clock: Clock; cluster: { readonly server: string; readonly ca: string | undefined } },
): Promise<ExecCredential> {
  const cannot = `Cannot get credentials from ${JSON.stringify(plugin.command)}`;
  const { apiVersion } = plugin;
  const info = {
    apiVersion,
    kind: "ExecCredential",
    spec: {
      interactive: false,
      ...(plugin.provideClusterInfo
        ? {
          cluster: {
            server: cluster.server,
            ...(cluster.ca ? { "certificate-authority-data": btoa(cluster.ca) } : {}),
          },
        }
        : {}),
    },
  };
  const stop = new AbortController();
  const cancel = clock.after(DEADLINE_MS, () => stop.abort());
  let output: Deno.CommandOutput;
  try {
    output = await new Deno.Command(plugin.command, {
      args: [...plugin.args],
      env: { ...plugin.env, KUBERNETES_EXEC_INFO: JSON.stringify(info) },
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
      signal: stop.signal,
    }).output();
  } catch (thrown) {
    const hint = plugin.installHint ? `; ${plugin.installHint.trim()}` : "";
    const why = thrown instanceof Deno.errors.NotFound ? `there is no such program${hint}` : "it cannot be started";
    throw new ChanceryError("unavailable", `${cannot}: ${why}`, { cause: thrown, retryable: false });
  } finally {
    cancel();
  }
  if (stop.signal.aborted) {
    throw new ChanceryError("unavailable", `${cannot}: no answer within ${DEADLINE_MS / 1000} s`);
  }
  if (!output.success) {
    const words = new TextDecoder().decode(output.stderr).trim().split("\n").at(-1) ?? "";
    throw new ChanceryError(
      "unavailable",
      `${cannot}: exit code ${output.code}${words ? `: ${words.slice(0, 300)}` : ""}`,
    );
  }
  const credential = readCredential(new TextDecoder().decode(output.stdout));
  if (!credential) throw new ChanceryError("unavailable", `${cannot}: its output is no ExecCredential with a status`);
  return credential;
}

/** Reads what a plugin printed; `undefined` when it is no ExecCredential. */
export function readCredential(text: string): ExecCredential | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined; // the error would quote the text
  }
  const status = (value as { kind?: unknown; status?: Record<string, unknown> } | null)?.status;
  if (typeof status !== "object" || status === null) return undefined;
  const text_ = (name: string) => typeof status[name] === "string" && status[name] !== "" ? status[name] : undefined;
  const token = text_("token");
  const certificate = text_("clientCertificateData");
  const key = text_("clientKeyData");
  if (token === undefined && (certificate === undefined || key === undefined)) return undefined;
  const expiresAt = Date.parse(text_("expirationTimestamp") ?? "");
  return {
    ...(token === undefined ? {} : { token }),
    ...(certificate === undefined ? {} : { certificate }),
    ...(key === undefined ? {} : { key }),
    ...(Number.isNaN(expiresAt) ? {} : { expiresAt }),
  };
}
