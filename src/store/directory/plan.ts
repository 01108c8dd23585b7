import { formatKey, type ObjectKey } from "../../base/mod.ts";
import { located, type Manifest, type ManifestObject } from "./documents.ts";
import type { DirectoryFinding } from "./report.ts";

/** Which file each object in the store came from; by {@linkcode formatKey}. */
export type Provenance = ReadonlyMap<string, { readonly key: ObjectKey; readonly file: string }>;

/** What {@linkcode planDirectory} looks at. */
export interface PlanInput {
  /** Sorted by name. */
  readonly manifests: readonly Manifest[];
  /** Folders (`""` is the directory itself) whose inside is not known. */
  readonly unreadable: readonly string[];
  readonly provenance: Provenance;
  /** An empty directory means that everything is to go. */
  readonly allowEmpty: boolean;
}

/** An object that the directory wants in the store. */
export interface Claim extends ManifestObject {
  readonly file: string;
}

/** What the directory wants. */
export interface Plan {
  readonly claims: readonly Claim[];
  readonly removals: readonly ObjectKey[];
  readonly findings: readonly DirectoryFinding[];
}

/**
 * What a directory wants to be in the store, given where everything came from: the union of its files. When in doubt an
 * object stays: nothing is removed whose file does not parse or cannot be looked at, that a broken file mentions (it may have
 * been moved there), or when the whole directory is suddenly empty (an empty mount).
 */
export function planDirectory(input: PlanInput): Plan {
  const { manifests, provenance } = input;
  const findings: DirectoryFinding[] = manifests.flatMap((manifest) => manifest.findings);
  const broken = new Map(manifests.filter((manifest) => manifest.broken).map((manifest) => [manifest.name, manifest]));
  const claims: Claim[] = [];
  const staying = new Set<string>();

  for (const [id, candidates] of candidatesByKey(manifests)) {
    const holder = provenance.get(id)?.file;
    const frozen = holder === undefined ? undefined : frozenHolder(holder, candidates[0]!.key, { input, broken });
    if (frozen !== undefined) staying.add(id);
    const winner = frozen === undefined ? candidates.find(({ file }) => file === holder) ?? candidates[0]! : undefined;
    if (winner) claims.push(winner);
    for (const loser of candidates) if (loser !== winner) findings.push(duplicate(loser, winner, frozen));
  }

  for (const stranger of manifests.flatMap((manifest) => manifest.strangers)) {
    if (!provenance.has(formatKey(stranger.key))) continue;
    staying.add(formatKey(stranger.key));
    const { apiVersion, kind } = stranger.object;
    const message = `apiVersion "${apiVersion}" of ${kind} is not served here; the object stays as it was`;
    findings.push(
      located(
        { severity: "error", path: ["apiVersion"], message, object: stranger.key, rule: "object" },
        stranger.positionOf,
      ),
    );
  }

  const claimed = new Set(claims.map(({ key }) => formatKey(key)));
  const orphans = [...provenance].filter(([id]) => !claimed.has(id) && !staying.has(id)).map(([, origin]) => origin);
  const isProtected = ({ key, file }: { key: ObjectKey; file: string }) =>
    frozenHolder(file, key, { input, broken, always: true }) !== undefined ||
    [...broken.values()].some(({ text }) => text?.includes(key.name));
  const unprotected = orphans.filter((origin) => !isProtected(origin));
  const emptied = manifests.length === 0 && input.unreadable.length === 0 && !input.allowEmpty;
  if (emptied && unprotected.length > 0) findings.push(suddenlyEmpty(unprotected.length));
  findings.push(...notRemoved(orphans.length - unprotected.length));
  return { claims, removals: emptied ? [] : unprotected.map(({ key }) => key), findings };
}

function candidatesByKey(manifests: readonly Manifest[]): Map<string, Claim[]> {
  const out = new Map<string, Claim[]>();
  for (const { name: file, objects } of manifests) {
    for (const object of objects) {
      const id = formatKey(object.key);
      out.set(id, [...out.get(id) ?? [], { ...object, file }]);
    }
  }
  return out;
}

interface HolderContext {
  readonly input: PlanInput;
  readonly broken: ReadonlyMap<string, Manifest>;
  /** A broken file holds all that came from it, not only what it still mentions. */
  readonly always?: boolean;
}

/** The file that an object came from, when nobody can tell whether the object is still in it. */
function frozenHolder(
  file: string,
  key: ObjectKey,
  { input, broken, always = false }: HolderContext,
): string | undefined {
  const manifest = broken.get(file);
  if (manifest) return always || manifest.text === undefined || manifest.text.includes(key.name) ? file : undefined;
  const hidden = input.unreadable.some((folder) => folder === "" || file.startsWith(`${folder}/`));
  return hidden ? file : undefined;
}

function duplicate(loser: Claim, winner: Claim | undefined, frozen: string | undefined): DirectoryFinding {
  const place = winner?.positionOf([]);
  const where = place ? `${place.file}:${place.line}` : frozen ?? "another file";
  const { kind, namespace, name } = loser.key;
  const why = winner ? "" : ", which cannot be read now";
  const message = `${kind} "${namespace}/${name}" is in ${where} too${why}; that one stays`;
  return located({ severity: "error", path: [], message, object: loser.key, rule: "duplicate" }, loser.positionOf);
}

function suddenlyEmpty(count: number): DirectoryFinding {
  const message =
    `the directory has no manifests any more; its ${count} objects stay, unless it is allowed to be empty`;
  return { severity: "error", path: [], message, rule: "empty" };
}

function notRemoved(count: number): DirectoryFinding[] {
  if (count === 0) return [];
  const message = `${count} ${
    count === 1 ? "object stays" : "objects stay"
  } as last seen, for a file or folder cannot be read`;
  return [{ severity: "warning", path: [], message, rule: "kept" }];
}
