import { EDGES } from "./layers.ts";

const ROOT = decodeURIComponent(new URL("../../", import.meta.url).pathname);

/** Where a file stands in the repository. */
export interface Place {
  /** Path from the top of the repository, with `/`. */
  readonly path: string;
  /** First folder below `src/`; `undefined` outside `src/` or for a file directly in it. */
  readonly folder: string | undefined;
  readonly test: boolean;
}

/** The place of a linted file, or `undefined` when it is not part of the repository. */
export function placeOf(filename: string): Place | undefined {
  const file = filename.replaceAll("\\", "/");
  if (!file.startsWith(ROOT)) return undefined;
  const path = file.slice(ROOT.length);
  const steps = path.split("/");
  return {
    path,
    folder: steps[0] === "src" && steps.length > 2 ? steps[1] : undefined,
    test: path.endsWith("_test.ts") || steps.includes("testdata"),
  };
}

/** The path that a relative import leads to, or `undefined` for anything that is not relative. */
export function resolveImport(from: Place, specifier: string): string | undefined {
  if (!specifier.startsWith("./") && !specifier.startsWith("../")) return undefined;
  return new URL(specifier, `file:///${from.path}`).pathname.slice(1);
}

/** Whether `path` is `home` or lies below it. */
export function isWithin(path: string, home: string): boolean {
  return path === home || path.startsWith(`${home}/`);
}

/** Whether a file may touch the outside world. */
export function isEdge(place: Place): boolean {
  return Object.keys(EDGES).some((edge) => isWithin(place.path, edge));
}
