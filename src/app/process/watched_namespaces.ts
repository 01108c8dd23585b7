import { ChanceryError } from "../../base/mod.ts";

/**
 * The namespaces to serve, each once; none for all of them.
 * @throws {ChanceryError} `invalid-input` when one cannot exist
 */
export function watchedNamespaces(asked: readonly string[]): readonly string[] {
  for (const name of asked) {
    if (/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(name)) continue;
    throw new ChanceryError(
      "invalid-input",
      `Cannot watch namespace ${JSON.stringify(name)}: no namespace has such a name`,
    );
  }
  return [...new Set(asked)].sort();
}
