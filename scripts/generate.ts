/**
 * `deno task generate`: writes every file that follows from the code. With `--check` it writes nothing and fails when one is
 * stale. A generator gives back whole files; it never reads what it writes, so that the same code gives the same bytes.
 * @module
 */

/** Gives the contents of files by their path from the top of the repository. */
export type Generator = () => Promise<ReadonlyMap<string, string>> | ReadonlyMap<string, string>;

const GENERATORS: readonly Generator[] = [];

/** The paths whose contents on disk differ from what the generators say. */
async function staleFiles(wanted: ReadonlyMap<string, string>): Promise<string[]> {
  const stale: string[] = [];
  for (const [path, text] of wanted) {
    const found = await Deno.readTextFile(path).catch((error: unknown) => {
      if (error instanceof Deno.errors.NotFound) return undefined;
      throw error;
    });
    if (found !== text) stale.push(path);
  }
  return stale;
}

if (import.meta.main) {
  Deno.chdir(new URL("..", import.meta.url));
  const wanted = new Map<string, string>();
  for (const generator of GENERATORS) for (const [path, text] of await generator()) wanted.set(path, text);
  const stale = await staleFiles(wanted);
  if (Deno.args.includes("--check")) {
    for (const path of stale) console.error(`"${path}" is stale: run deno task generate`);
    Deno.exit(stale.length === 0 ? 0 : 1);
  }
  for (const path of stale) {
    await Deno.mkdir(path.replace(/\/[^/]*$/, ""), { recursive: true });
    await Deno.writeTextFile(path, wanted.get(path)!);
    console.log(`wrote ${path}`);
  }
}
