import { errorMessage } from "../../base/mod.ts";
import { readManifests } from "../../store/directory/mod.ts";

/** A text to look at, or why there is none. */
export interface InputFile {
  /** As the user would type it. */
  readonly name: string;
  readonly text?: string;
  readonly problem?: string;
}

/** The name of standard input among the paths, and in findings. */
export const STDIN = "-";
export const STDIN_NAME = "<stdin>";

const MAX_BYTES = 32 * 1024 * 1024;

/**
 * The files behind the paths, each once, in the order of the paths and by name within a directory. A directory is read as a
 * standalone reads it: recursively, manifests only; a file that is named is read whatever it is called.
 */
export async function readInputs(paths: readonly string[]): Promise<InputFile[]> {
  const seen = new Set<string>();
  const files: InputFile[] = [];
  for (const path of paths) {
    for (const { file, identity } of path === STDIN ? [await readStdin()] : await readPath(path)) {
      if (seen.has(identity)) continue;
      seen.add(identity);
      files.push(file);
    }
  }
  return files;
}

interface Found {
  readonly file: InputFile;
  /** Equal for two ways to the same file. */
  readonly identity: string;
}

async function readPath(path: string): Promise<Found[]> {
  try {
    const info = await Deno.stat(path);
    return info.isDirectory ? await readDirectory(path) : [await readFile(path, info)];
  } catch (thrown) {
    return [{ file: { name: path, problem: problemOf(thrown) }, identity: path }];
  }
}

async function readDirectory(path: string): Promise<Found[]> {
  const folder = path.replace(/(?<=.)\/+$/, "");
  const { files, unreadable } = await readManifests(folder);
  const found: Found[] = [];
  for (const { name, text, problem = "reason unknown" } of [...files, ...unreadable.map(unreadableFile)]) {
    const file = joined(folder, name);
    // A link may lead to a file that is read under another name, too.
    const identity = await Deno.realPath(file).catch(() => file);
    found.push({ file: { name: file, ...(text === undefined ? { problem } : { text }) }, identity });
  }
  if (found.length > 0) return found;
  const problem = "it holds no file that ends in .yaml, .yml or .json";
  return [{ file: { name: path, problem }, identity: path }];
}

function unreadableFile({ name, problem }: { name: string; problem: string }) {
  return { name, text: undefined, problem };
}

function joined(folder: string, name: string): string {
  if (name === "") return folder;
  return folder === "." ? name : `${folder === "/" ? "" : folder}/${name}`;
}

async function readFile(path: string, info: Deno.FileInfo): Promise<Found> {
  // A pipe, `<(…)`, has no end that is known beforehand and no other name.
  const identity = info.isFile ? await Deno.realPath(path) : `${path} ${info.dev}:${info.ino}`;
  if (info.size > MAX_BYTES) return { file: { name: path, problem: `it is larger than ${MAX_BYTES} bytes` }, identity };
  using handle = await Deno.open(path);
  return { file: { name: path, ...await textOf(handle.readable) }, identity };
}

async function readStdin(): Promise<Found> {
  return { file: { name: STDIN_NAME, ...await textOf(Deno.stdin.readable) }, identity: STDIN };
}

async function textOf(stream: ReadableStream<Uint8Array>): Promise<Omit<InputFile, "name">> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let text = "";
  let size = 0;
  try {
    for await (const chunk of stream) {
      size += chunk.length;
      if (size > MAX_BYTES) return { problem: `it is larger than ${MAX_BYTES} bytes` };
      text += decoder.decode(chunk, { stream: true });
    }
    return { text: text + decoder.decode() };
  } catch (thrown) {
    return { problem: thrown instanceof TypeError ? "it is no UTF-8 text" : problemOf(thrown) };
  }
}

function problemOf(thrown: unknown): string {
  if (thrown instanceof Deno.errors.NotFound) return "it does not exist";
  if (thrown instanceof Deno.errors.PermissionDenied) return "permission denied";
  return errorMessage(thrown);
}
