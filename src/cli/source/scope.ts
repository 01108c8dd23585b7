import type { ConfigDocument } from "../../app/documents/mod.ts";
import type { ObjectKey } from "../../base/mod.ts";
import { nameOf, readName } from "./names.ts";
import { readSelector, selects } from "./selector.ts";
import type { SourceQuery } from "./source.ts";

/** What a person asks for: names, a namespace, labels. */
export interface Scope {
  /** The names that were typed. */
  readonly keys: readonly ObjectKey[];
  /** The only namespace that is looked at; `undefined` for all. */
  readonly namespace: string | undefined;
  /** Whether that is only a part of what there may be. */
  readonly selected: boolean;
  /** The question to a source, which may answer with more. */
  readonly query: SourceQuery;
  readonly wanted: (config: ConfigDocument) => boolean;
}

/** Reads the words and options of a command line; `usual` is the namespace that the source is set to. */
export function scopeOf(
  words: readonly string[],
  { namespace: chosen, allNamespaces, selector, usual }: {
    readonly namespace: string | undefined;
    readonly allNamespaces: boolean;
    readonly selector: string | undefined;
    readonly usual: string | undefined;
  },
): Scope {
  const namespace = allNamespaces ? undefined : chosen ?? usual;
  const keys = words.map((word) => readName(word, namespace));
  const terms = selector === undefined ? undefined : readSelector(selector);
  const names = new Set(keys.map(nameOf));
  return {
    keys,
    namespace,
    selected: names.size > 0 || namespace !== undefined || terms !== undefined,
    query: { ...placeOf(keys, namespace), ...(terms ? { labels: { matchExpressions: terms } } : {}) },
    wanted: (config) =>
      (names.size > 0 ? names.has(nameOf(config)) : namespace === undefined || config.namespace === namespace) &&
      (terms === undefined || selects(terms, config.labels)),
  };
}

/** The smallest question that all names are answered by. */
function placeOf(keys: readonly ObjectKey[], namespace: string | undefined): SourceQuery {
  const [one] = keys;
  if (!one) return namespace === undefined ? {} : { namespace };
  if (keys.length === 1) return { namespace: one.namespace, name: one.name };
  return keys.every((key) => key.namespace === one.namespace) ? { namespace: one.namespace } : {};
}
