/**
 * `deno task generate`: writes every file that follows from the code. With `--check` it writes nothing and fails when one is
 * stale.
 * @module
 */
import { answerSchemas } from "./generate/answer_schemas.ts";
import { chartFiles } from "./generate/chart/mod.ts";
import { crdFiles } from "./generate/crds.ts";
import { defaultManifests } from "./generate/default_manifests.ts";
import { l7mpManifests } from "./generate/l7mp.ts";
import { olmFiles } from "./generate/olm.ts";
import { overlays } from "./generate/overlays.ts";
import { readmeOptions } from "./generate/readme_options.ts";
import { roleFiles } from "./generate/role_files.ts";

/** Each gives whole files by their path from the top of the repository; the same code gives the same bytes. */
const GENERATORS: readonly (() => ReadonlyMap<string, string> | Promise<ReadonlyMap<string, string>>)[] = [
  crdFiles,
  answerSchemas,
  roleFiles,
  defaultManifests,
  overlays,
  l7mpManifests,
  chartFiles,
  olmFiles,
  readmeOptions,
];

/** Folders in which nothing else may lie. */
const OURS = [
  "default",
  "with-cert-manager",
  "single-namespace",
  "monitoring",
  "network-policies",
  "l7mp",
  "chart",
  "olm",
  "schemas",
]
  .map((name) => `manifests/${name}`);

const TOP = new URL("../", import.meta.url);

/** The files whose contents on disk differ from what the code says, with what they should hold; undefined: they should not be. */
export async function staleFiles(): Promise<Map<string, string | undefined>> {
  const stale = new Map<string, string | undefined>();
  const wanted = new Set<string>();
  for (const generator of GENERATORS) {
    for (const [path, text] of await generator()) {
      const found = await Deno.readTextFile(new URL(path, TOP)).catch((error: unknown) => {
        if (error instanceof Deno.errors.NotFound) return undefined;
        throw error;
      });
      if (found !== text) stale.set(path, text);
      wanted.add(path);
    }
  }
  for (const folder of OURS) {
    for await (const path of filesIn(folder)) if (!wanted.has(path)) stale.set(path, undefined);
  }
  return stale;
}

/** Paths of all files in a folder, from the top of the repository. */
async function* filesIn(folder: string): AsyncGenerator<string> {
  for await (const { name, isDirectory } of Deno.readDir(new URL(folder, TOP))) {
    const path = `${folder}/${name}`;
    if (isDirectory) yield* filesIn(path);
    else yield path;
  }
}

if (import.meta.main) {
  const stale = await staleFiles();
  if (Deno.args.includes("--check")) {
    for (const path of stale.keys()) console.error(`"${path}" is stale: run deno task generate`);
    Deno.exit(stale.size === 0 ? 0 : 1);
  }
  for (const [path, text] of stale) {
    if (text === undefined) {
      await Deno.remove(new URL(path, TOP));
      console.log(`removed ${path}`);
      continue;
    }
    await Deno.mkdir(new URL(".", new URL(path, TOP)), { recursive: true });
    await Deno.writeTextFile(new URL(path, TOP), text);
    console.log(`wrote ${path}`);
  }
}
