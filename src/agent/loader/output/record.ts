/** Which files a loader put in place, and from which source each came. */
export type Record = ReadonlyMap<string, string>;

/** The text of a record; the same files give the same text. */
export function formatRecord(record: Record): string {
  const files = Object.fromEntries([...record].sort(([a], [b]) => (a < b ? -1 : 1)));
  return `${JSON.stringify({ version: 1, files }, null, 1)}\n`;
}

/** Reads a record; nothing that it cannot be is believed, since what is in it may be removed. */
export function parseRecord(text: string): Record {
  try {
    const { version, files } = JSON.parse(text) as { version?: unknown; files?: unknown }; // checked below
    if (version !== 1 || typeof files !== "object" || files === null) return new Map();
    return new Map(
      Object.entries(files).filter(([path, source]) => typeof source === "string" && isInside(path)) as [
        string,
        string,
      ][],
    );
  } catch {
    return new Map();
  }
}

/** Whether a path stays below the output: at most one folder, and no way up. */
function isInside(path: string): boolean {
  const steps = path.split("/");
  return steps.length <= 2 && steps.every((step) => step !== "" && step !== "." && !step.startsWith(".."));
}
