/**
 * `deno task generate`: writes every file that follows from the code. With `--check` it writes nothing and fails when one is
 * stale.
 * @module
 */
import { crdFiles } from "./generate/crds.ts";
import { readmeOptions } from "./generate/readme_options.ts";
import { userRoleFiles } from "./generate/user_roles.ts";
import { webhookConfigurationFiles } from "./generate/webhook_configuration.ts";

/** Each gives whole files by their path from the top of the repository; the same code gives the same bytes. */
const GENERATORS: readonly (() => ReadonlyMap<string, string> | Promise<ReadonlyMap<string, string>>)[] = [
  crdFiles,
  webhookConfigurationFiles,
  readmeOptions,
  userRoleFiles,
];

const TOP = new URL("../", import.meta.url);

/** The files whose contents on disk differ from what the code says, with what they should hold. */
export async function staleFiles(): Promise<Map<string, string>> {
  const stale = new Map<string, string>();
  for (const generator of GENERATORS) {
    for (const [path, text] of await generator()) {
      const found = await Deno.readTextFile(new URL(path, TOP)).catch((error: unknown) => {
        if (error instanceof Deno.errors.NotFound) return undefined;
        throw error;
      });
      if (found !== text) stale.set(path, text);
    }
  }
  return stale;
}

if (import.meta.main) {
  const stale = await staleFiles();
  if (Deno.args.includes("--check")) {
    for (const path of stale.keys()) console.error(`"${path}" is stale: run deno task generate`);
    Deno.exit(stale.size === 0 ? 0 : 1);
  }
  for (const [path, text] of stale) {
    await Deno.mkdir(new URL(".", new URL(path, TOP)), { recursive: true });
    await Deno.writeTextFile(new URL(path, TOP), text);
    console.log(`wrote ${path}`);
  }
}
