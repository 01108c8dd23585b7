import { ChanceryError, type Clock, type Finding, hasErrors } from "../../base/mod.ts";
import { checkTlsMaterial, type TlsMaterial } from "./tls_material.ts";
import { settleTls, type TlsReading, type TlsSettling } from "./tls_settling.ts";

/** Where TLS material lies: paths of PEM files. */
export interface TlsFiles {
  readonly certFile: string;
  readonly keyFile: string;
  readonly caFile: string;
}

/** Options of {@linkcode watchTlsFiles}. */
export interface WatchTlsOptions extends TlsFiles {
  /** What is in use now. */
  readonly current: TlsMaterial;
  readonly clock: Clock;
  /** Ends the watch. */
  readonly signal: AbortSignal;
  /** Other material lies there, is complete and was checked; findings are warnings. */
  onChange(material: TlsMaterial, findings: readonly Finding[]): void;
  /** What lies there has been unusable for a while; told once for each content. */
  onBad(findings: readonly Finding[]): void;
  /** How often to look. Default 1,000. */
  readonly intervalMs?: number;
  /** How long unusable content is taken for a change under way. Default 5,000. */
  readonly graceMs?: number;
}

/**
 * Reads the files once.
 * @throws {ChanceryError} `invalid-input` naming every file that cannot be read and everything that cannot be used
 */
export async function readTlsFiles(files: TlsFiles): Promise<TlsMaterial> {
  const { material, findings } = await read(files);
  if (material && !hasErrors(findings)) return material;
  const errors = findings.filter((f) => f.severity === "error").map((f) => f.message);
  throw new ChanceryError("invalid-input", `Cannot use the TLS files: ${errors.join("; ")}`);
}

/**
 * Looks at the files again and again, since notifications miss what containers do: symbolic links swapped some directories up,
 * files on network file systems. Three small files a second cost nothing.
 */
export function watchTlsFiles(options: WatchTlsOptions): void {
  const { clock, signal, intervalMs = 1_000, graceMs = 5_000 } = options;
  const times = { goodMs: intervalMs, badMs: graceMs };
  let state: TlsSettling = { current: options.current };
  let cancel = () => {};
  const look = async () => {
    const reading = await read(options);
    if (signal.aborted) return;
    const settled = settleTls(state, { reading, now: clock.monotonic(), times });
    state = settled.state;
    const { step } = settled;
    if (step.action === "take") options.onChange(step.material, step.findings);
    if (step.action === "tell") options.onBad(step.findings);
    cancel = clock.after(intervalMs, look);
  };
  if (signal.aborted) return;
  cancel = clock.after(intervalMs, look);
  signal.addEventListener("abort", () => cancel(), { once: true });
}

async function read({ certFile, keyFile, caFile }: TlsFiles): Promise<TlsReading> {
  const findings: Finding[] = [];
  const [certificate, privateKey, clientCa] = await Promise.all([
    readText(certFile, { field: "certificate", findings }),
    readText(keyFile, { field: "privateKey", findings }),
    readText(caFile, { field: "clientCa", findings }),
  ]);
  if (certificate === undefined || privateKey === undefined || clientCa === undefined) return { findings };
  const material = { certificate, privateKey, clientCa };
  return { material, findings: checkTlsMaterial(material, Date.now()) };
}

async function readText(
  path: string,
  { field, findings }: { field: keyof TlsMaterial; findings: Finding[] },
): Promise<string | undefined> {
  try {
    return await Deno.readTextFile(path);
  } catch (thrown) {
    const why = thrown instanceof Deno.errors.NotFound
      ? "there is no such file"
      : thrown instanceof Deno.errors.PermissionDenied
      ? "permission denied"
      : "it is no readable text file";
    findings.push({ severity: "error", path: [field], message: `Cannot read "${path}": ${why}`, rule: "tls-file" });
    return undefined;
  }
}
