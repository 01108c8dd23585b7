import type { ConfigsDocument, ConfigsQuery } from "../../app/documents/mod.ts";
import { ChanceryError, type ObjectKey, suggest } from "../../base/mod.ts";
import { UsageError } from "../exit_code.ts";
import type { Source } from "./source.ts";

/** `NAMESPACE/NAME`, or `NAME` in the namespace of `-n`. */
export function readName(word: string, namespace: string | undefined = "default"): ObjectKey {
  const parts = word.split("/");
  if (parts.length > 2 || parts.includes("")) {
    throw new UsageError(`Cannot read ${JSON.stringify(word)}: NAME or NAMESPACE/NAME is needed`);
  }
  const [name = "", own] = parts.reverse();
  return { kind: "EnvoyConfig", namespace: own ?? namespace, name };
}

/** `NAMESPACE/NAME`. */
export function nameOf({ namespace, name }: { readonly namespace: string; readonly name: string }): string {
  return `${namespace}/${name}`;
}

/** The question that tells what may have been meant instead of a name that is not there. */
export function neighbours(key: ObjectKey, { namespace }: Pick<Source, "namespace">): ConfigsQuery {
  return namespace === undefined ? {} : { namespace: key.namespace };
}

/** Throws `not-found` for the first key that is not among the configs, with what was probably meant. */
export function checkNames(keys: readonly ObjectKey[], { configs }: Pick<ConfigsDocument, "configs">): void {
  const known = configs.map(nameOf);
  const missing = keys.map(nameOf).find((name) => !known.includes(name));
  if (missing === undefined) return;
  const near = suggest(missing, known);
  const hint = near === undefined ? "" : `, did you mean ${JSON.stringify(near)}?`;
  throw new ChanceryError("not-found", `Cannot find EnvoyConfig ${JSON.stringify(missing)}${hint}`);
}
