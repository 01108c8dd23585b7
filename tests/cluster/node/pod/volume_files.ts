import { fieldText, type NodeFacts, resourceText } from "./field_ref.ts";
import type { DownwardFile, KeyToPath, Pod, Projection, TokenProjection, Volume } from "./pod.ts";

/** Content and permissions of a file. */
export interface VolumeFile {
  readonly data: Uint8Array<ArrayBuffer>;
  readonly mode: number;
}

/** Files by path, relative to the volume. */
export type VolumeFiles = ReadonlyMap<string, VolumeFile>;

/** What a volume is filled from. */
export interface VolumeInputs {
  readonly pod: Pod;
  readonly facts: NodeFacts;
  /** Bytes by key, or `undefined` when there is no such object. */
  lookup(kind: "ConfigMap" | "Secret", name: string): ReadonlyMap<string, Uint8Array<ArrayBuffer>> | undefined;
  /** The token that is in force, or `undefined` before the first was given. */
  token(projection: TokenProjection): string | undefined;
}

const DEFAULT_MODE = 0o644;
/**
 * The files of a volume that follows objects, or `undefined` for one that containers fill themselves.
 * @throws {Error} in the kubelet's words when something is missing that is not optional
 */
export function volumeFiles(volume: Volume, inputs: VolumeInputs): VolumeFiles | undefined {
  if (volume.secret) {
    const { secretName: name, ...rest } = volume.secret;
    return projectionFiles({ secret: { name, ...rest } }, rest.defaultMode, inputs);
  }
  if (volume.configMap) return projectionFiles({ configMap: volume.configMap }, volume.configMap.defaultMode, inputs);
  if (volume.downwardAPI) {
    return projectionFiles({ downwardAPI: volume.downwardAPI }, volume.downwardAPI.defaultMode, inputs);
  }
  if (!volume.projected) return undefined;
  const { sources = [], defaultMode } = volume.projected;
  return new Map(sources.flatMap((source) => [...projectionFiles(source, defaultMode, inputs)]));
}

function projectionFiles(source: Projection, defaultMode = DEFAULT_MODE, inputs: VolumeInputs): VolumeFiles {
  const object = source.secret ?? source.configMap;
  if (object) {
    const kind = source.secret ? "Secret" : "ConfigMap";
    const data = inputs.lookup(kind, object.name ?? "");
    if (!data && !object.optional) throw new Error(`${kind.toLowerCase()} "${object.name}" not found`);
    return itemFiles(data ?? new Map(), object, defaultMode, kind);
  }
  if (source.serviceAccountToken) return tokenFile(source.serviceAccountToken, defaultMode, inputs);
  return new Map((source.downwardAPI?.items ?? []).map((item) => [item.path, downwardFile(item, defaultMode, inputs)]));
}

function itemFiles(
  data: ReadonlyMap<string, Uint8Array<ArrayBuffer>>,
  object: { readonly items?: readonly KeyToPath[]; readonly optional?: boolean; readonly name?: string },
  defaultMode: number,
  kind: string,
): VolumeFiles {
  const items = object.items ?? [...data.keys()].map((key): KeyToPath => ({ key, path: key }));
  return new Map(items.flatMap(({ key, path, mode = defaultMode }) => {
    const bytes = data.get(key);
    if (bytes) return [[path, { data: bytes, mode }] as const];
    if (object.optional) return [];
    throw new Error(`references non-existent ${kind.toLowerCase()} key: ${key} of "${object.name}"`);
  }));
}

function tokenFile(projection: TokenProjection, mode: number, inputs: VolumeInputs): VolumeFiles {
  const token = inputs.token(projection);
  if (token === undefined) throw new Error("the token of the service account has not been given yet");
  return new Map([[projection.path, { data: new TextEncoder().encode(token), mode }]]);
}

function downwardFile(item: DownwardFile, defaultMode: number, { pod, facts }: VolumeInputs): VolumeFile {
  const text = item.fieldRef
    ? fieldText(pod, item.fieldRef, facts)
    : resourceText(pod, item.resourceFieldRef ?? { resource: "" }, "", facts);
  return { data: new TextEncoder().encode(text), mode: item.mode ?? defaultMode };
}
