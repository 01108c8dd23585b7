import { type Clock, wait } from "../../base/mod.ts";
import { changedFiles, type DirectoryDisk, sameScan, type Scan } from "./scan.ts";

/** How long all files must have kept still before they are taken. */
export const SETTLE_MS = 150;
/** After this long the files that still change are left as they are, and the others are taken. */
const PATIENCE_MS = 5000;

/** Options of {@linkcode readSettled}. */
export interface SettleOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** What was taken last: when the disk still looks so, there is nothing to wait for. */
  readonly last: Scan | undefined;
}

/**
 * Looks at the directory until two looks {@linkcode SETTLE_MS} apart are the same, so that no half-written file and no half of
 * a checkout is taken. A file that never stops changing gets a problem instead of a text. `undefined` once aborted.
 */
export async function readSettled(
  disk: DirectoryDisk,
  { clock, signal, last }: SettleOptions,
): Promise<Scan | undefined> {
  const start = clock.monotonic();
  let before = await disk.read();
  if (last && sameScan(last, before)) return before;
  for (;;) {
    await wait(SETTLE_MS, { clock, signals: [signal] });
    if (signal.aborted) return undefined;
    const after = await disk.read();
    if (sameScan(before, after)) return after;
    if (clock.monotonic() - start > PATIENCE_MS) return withoutRestless(after, changedFiles(before, after));
    before = after;
  }
}

function withoutRestless(scan: Scan, restless: ReadonlySet<string>): Scan {
  const problem = "it is being written all the time";
  return {
    ...scan,
    files: scan.files.map((file) => restless.has(file.name) ? { ...file, text: undefined, problem, stamp: "" } : file),
  };
}
