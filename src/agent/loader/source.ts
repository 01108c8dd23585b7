import { ChanceryError } from "../../base/mod.ts";

/** Where files come from: named objects, all that a selector matches, or a directory. */
export type Source =
  & {
    /** How the source is told apart from the others, e.g. `configmap shop/envoy-xds`. */
    readonly id: string;
  }
  & (
    | NamedSource
    | { readonly kind: "selector"; readonly namespace: string; readonly selector: string }
    | { readonly kind: "directory"; readonly path: string }
  );

/** One object of the API server. */
export interface NamedSource {
  readonly kind: "configmap" | "secret";
  readonly namespace: string;
  readonly name: string;
  /** Folder below the output that its files go into; empty for the output itself. */
  readonly folder: string;
}

const NAME = /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/;
const FOLDER = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,251}$/;

/**
 * Reads `[NAMESPACE/]NAME[=FOLDER]`.
 * @throws {ChanceryError} `invalid-input`
 */
export function parseNamedSource(kind: "configmap" | "secret", text: string, namespace: string): Source {
  const [object = "", folder = "", ...more] = text.split("=");
  const slash = object.indexOf("/");
  const within = slash < 0 ? namespace : object.slice(0, slash);
  const name = object.slice(slash + 1);
  const wrong = (why: string) =>
    new ChanceryError("invalid-input", `Cannot follow ${kind} ${JSON.stringify(text)}: ${why}`);
  if (!NAME.test(name)) throw wrong(`${JSON.stringify(name)} is no name of an object`);
  if (within === "") throw wrong("its namespace is not known: set --namespace, NS or POD_NAMESPACE");
  if (!NAME.test(within)) throw wrong(`${JSON.stringify(within)} is no name of a namespace`);
  if (more.length > 0 || (text.includes("=") && !FOLDER.test(folder))) {
    throw wrong(`${JSON.stringify([folder, ...more].join("="))} is no name of one folder`);
  }
  return { id: `${kind} ${within}/${name}`, kind, namespace: within, name, folder };
}
