import { ChanceryError, errorMessage } from "../../../base/mod.ts";

/** What Envoy said to one bootstrap. */
export type Verdict =
  | { readonly kind: "accepted" }
  | { readonly kind: "refused"; readonly words: string }
  | { readonly kind: "crashed"; readonly how: string }
  | { readonly kind: "late" };

/** Asks about one bootstrap. Never throws for what Envoy does. */
export type AskEnvoy = (bootstrap: string) => Promise<Verdict>;

/** An Envoy that can be asked, and what it is. */
export interface EnvoyProgram {
  readonly version: string;
  readonly ask: AskEnvoy;
}

/**
 * Finds out whether there is an Envoy under this path or name.
 *
 * @throws {ChanceryError} `unavailable` when there is none that answers
 */
export async function openEnvoy(path: string, limits: Limits): Promise<EnvoyProgram> {
  const ended = await run(path, ["--version"], limits).catch((thrown: unknown) => {
    const why = thrown instanceof Deno.errors.NotFound ? "there is no such program" : errorMessage(thrown);
    throw new ChanceryError("unavailable", `Cannot run Envoy ${JSON.stringify(path)}: ${why}`, { cause: thrown });
  });
  const version = ended?.output.trim() ?? "";
  if (!ended?.success || !/version: \S+/.test(version)) {
    throw new ChanceryError("unavailable", `Cannot run Envoy ${JSON.stringify(path)}: it does not tell its version`);
  }
  return { version, ask: (bootstrap) => ask(path, bootstrap, limits) };
}

/** The bootstrap holds secrets: only this user can read the folder and the file, and both are gone when Envoy is. */
async function ask(path: string, bootstrap: string, limits: Limits): Promise<Verdict> {
  const folder = await Deno.makeTempDir({ prefix: "chancery-validate-" });
  OPEN_FOLDERS.add(folder);
  try {
    const file = `${folder}/bootstrap.json`;
    await Deno.writeTextFile(file, bootstrap, { mode: 0o600 });
    const args = ["--mode", "validate", "--disable-hot-restart", "-l", "critical", "--log-format", "%v", "-c", file];
    const ended = await run(path, args, limits);
    if (!ended) return { kind: "late" };
    if (ended.success) return { kind: "accepted" };
    if (ended.signal !== null || ended.code !== 1) {
      return { kind: "crashed", how: ended.signal ?? `status ${ended.code}` };
    }
    const words = ended.output.replaceAll(file, "bootstrap").replace(
      /^error initializing configuration 'bootstrap':\s*/m,
      "",
    );
    return { kind: "refused", words: words.trim() || "without a word" };
  } finally {
    await Deno.remove(folder, { recursive: true }).catch(() => {});
    OPEN_FOLDERS.delete(folder);
  }
}

const OPEN_FOLDERS = new Set<string>();

/** For the end of the process by a signal: what is open now is removed at once. */
export function removeOpenFolders(): void {
  for (const folder of OPEN_FOLDERS) {
    try {
      Deno.removeSync(folder, { recursive: true });
    } catch {
      // it is gone already
    }
  }
}

interface Ended {
  readonly success: boolean;
  readonly code: number;
  readonly signal: Deno.Signal | null;
  readonly output: string;
}

const MAX_OUTPUT = 64 * 1024;

/** How long an Envoy may run. */
interface Limits {
  readonly deadlineMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** Runs a program to its end, or kills it at the deadline or by the signal and gives `undefined`. */
async function run(
  path: string,
  args: readonly string[],
  { deadlineMs, signal }: Limits,
): Promise<Ended | undefined> {
  if (signal?.aborted) return undefined;
  const child = new Deno.Command(path, { args: [...args], stdin: "null", stdout: "piped", stderr: "piped" }).spawn();
  let late = false;
  const end = () => {
    late = true;
    kill(child);
  };
  const timer = setTimeout(end, deadlineMs);
  signal?.addEventListener("abort", end, { once: true });
  try {
    const [status, out, err] = await Promise.all([child.status, headOf(child.stdout), headOf(child.stderr)]);
    return late ? undefined : { ...status, output: `${err}\n${out}` };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", end);
  }
}

/** Reads to the end, and keeps the beginning. */
async function headOf(stream: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of stream) if (text.length < MAX_OUTPUT) text += decoder.decode(chunk, { stream: true });
  return text;
}

function kill(child: Deno.ChildProcess): void {
  try {
    child.kill("SIGKILL");
  } catch {
    // it ended by itself
  }
}
