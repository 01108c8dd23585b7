import { ChanceryError, type Clock, type Finding, hasErrors } from "../../../base/mod.ts";
import { checkTlsMaterial, type ServerMaterial, type TlsMaterial } from "./tls_material.ts";
import { settleTls, type TlsReading, type TlsSettling } from "./tls_settling.ts";

/** Where a server's certificate lies: paths of PEM files. */
export interface ServerTlsFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

/** The same with the authorities of clients, for mutual TLS. */
export interface TlsFiles extends ServerTlsFiles {
  readonly caFile: string;
}

/** What is in the files. */
export type MaterialOf<F extends ServerTlsFiles> = F extends TlsFiles ? TlsMaterial : ServerMaterial;

/** Options of {@linkcode watchTlsFiles}. */
export interface WatchTlsOptions<M extends ServerMaterial = TlsMaterial> {
  /** What is in use now. */
  readonly current: M;
  readonly clock: Clock;
  /** Ends the watch. */
  readonly signal: AbortSignal;
  /** Other material lies there, is complete and was checked; findings are warnings. */
  onChange(material: M, findings: readonly Finding[]): void;
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
export async function readTlsFiles<F extends ServerTlsFiles>(files: F): Promise<MaterialOf<F>> {
  const { material, findings } = await read(files);
  if (material && !hasErrors(findings)) return material;
  const errors = findings.filter((f) => f.severity === "error").map((f) => f.message);
  throw new ChanceryError("invalid-input", `Cannot use the TLS files: ${errors.join("; ")}`);
}

/**
 * Looks at the files again and again, since notifications miss what containers do: symbolic links swapped some directories up,
 * files on network file systems. Three small files a second cost nothing.
 */
export function watchTlsFiles(options: TlsFiles & WatchTlsOptions): void;
export function watchTlsFiles(options: ServerTlsFiles & WatchTlsOptions<ServerMaterial>): void;
export function watchTlsFiles<F extends ServerTlsFiles>(options: F & WatchTlsOptions<MaterialOf<F>>): void {
  const { clock, signal, intervalMs = 1_000, graceMs = 5_000 } = options;
  const times = { goodMs: intervalMs, badMs: graceMs };
  let state: TlsSettling<MaterialOf<F>> = { current: options.current };
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

async function read<F extends ServerTlsFiles>(files: F): Promise<TlsReading<MaterialOf<F>>> {
  const { certFile, keyFile, caFile }: ServerTlsFiles & Partial<TlsFiles> = files;
  const [certificate, privateKey, clientCa] = await Promise.all([
    readText(certFile, "certificate"),
    readText(keyFile, "privateKey"),
    caFile === undefined ? undefined : readText(caFile, "clientCa"),
  ]);
  // In the order of the files, whichever was read first: two looks at the same give the same.
  const findings = [certificate, privateKey, clientCa].filter((one) => typeof one === "object");
  if (typeof certificate === "object" || typeof privateKey === "object" || typeof clientCa === "object") {
    return { findings };
  }
  const read = { certificate, privateKey, ...(clientCa === undefined ? {} : { clientCa }) };
  const material = read as MaterialOf<F>; // with the authorities exactly where a file for them is named
  return { material, findings: checkTlsMaterial(material, Date.now()) };
}

/** What is in a file, or why that cannot be told. */
async function readText(path: string, field: keyof TlsMaterial): Promise<string | Finding> {
  try {
    return await Deno.readTextFile(path);
  } catch (thrown) {
    const why = thrown instanceof Deno.errors.NotFound
      ? "there is no such file"
      : thrown instanceof Deno.errors.PermissionDenied
      ? "permission denied"
      : "it is no readable text file";
    return { severity: "error", path: [field], message: `Cannot read "${path}": ${why}`, rule: "tls-file" };
  }
}
