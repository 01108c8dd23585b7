import { dropNulls, EndpointSlice, readEnvoyConfig, Secret } from "../../api/mod.ts";
import { formatFinding, hasErrors, type Json } from "../../base/mod.ts";
import { envoyRegistry, type Registry, resourceTypeOf, toJson } from "../../envoy/mod.ts";
import {
  admitObject,
  buildSnapshot,
  type CheckKeyPair,
  compileSpec,
  type Resource,
  type Sources,
  sourcesOf,
} from "../../snapshot/mod.ts";
import type { UnknownResource } from "../documents/mod.ts";
import { type FileObject, objectsOf, readInputs } from "../validate/mod.ts";
import { unknownResources } from "./unknown_resources.ts";

/** One resource as the files have it. */
export interface FileResource {
  /** `CDS`, `LDS`, … */
  readonly type: string;
  readonly name: string;
  /** Hash of the content, as a server makes it of the same. */
  readonly version: string;
  /** The message as JSON, secrets redacted. */
  body(): Json;
}

/** One EnvoyConfig of the files. */
export interface FileConfig {
  readonly namespace: string;
  readonly name: string;
  readonly nodeId: string;
  readonly version: string;
  readonly file: string;
  readonly resources: readonly FileResource[];
  /** What is made of Secrets or EndpointSlices that are not among the files. */
  readonly unknown: readonly UnknownResource[];
}

/** What {@linkcode readFiles} found. */
export interface FilesRead {
  readonly configs: readonly FileConfig[];
  /** Why something cannot be compared: a file, or what is wrong in it. */
  readonly problems: readonly { readonly file: string; readonly message: string }[];
}

interface Located extends FileObject {
  readonly file: string;
}

/**
 * Reads files and directories as `validate` does, and makes of each EnvoyConfig what would be served of it. Objects that name
 * no namespace are of the given one.
 */
export async function readFiles(paths: readonly string[], { namespace }: { namespace: string }): Promise<FilesRead> {
  const problems: { file: string; message: string }[] = [];
  const objects: Located[] = [];
  for (const { name: file, text, problem } of await readInputs(paths)) {
    if (text === undefined) {
      problems.push({ file, message: `cannot be read: ${problem ?? "reason unknown"}` });
      continue;
    }
    const content = objectsOf(text, file, { namespace });
    for (const finding of content.findings) {
      if (finding.severity === "error") problems.push({ file, message: formatFinding(finding) });
    }
    objects.push(...content.objects.map((object) => ({ ...object, file })));
  }
  const sources = sourcesByNamespace(objects);
  const checkKeyPair = objects.some(({ kind }) => kind === "Secret")
    ? (await import("../serving/key_pair.ts")).checkKeyPair
    : undefined;
  const configs: FileConfig[] = [];
  for (const object of objects.filter(({ kind }) => kind === "EnvoyConfig")) {
    const read = configOf(object, {
      registry: envoyRegistry(),
      sources: sources.get(object.namespace) ?? sourcesOf([], []),
      ...(checkKeyPair ? { checkKeyPair } : {}),
    });
    if ("config" in read) configs.push(read.config);
    else problems.push(...read.problems.map((message) => ({ file: object.file, message })));
  }
  return { configs, problems };
}

function sourcesByNamespace(objects: readonly Located[]): Map<string, Sources> {
  const sound = objects.filter(({ kind, value }) =>
    kind !== "EnvoyConfig" && !hasErrors(admitObject({ ...value, kind }))
  );
  const sources = new Map<string, Sources>();
  for (const [namespace, here] of Map.groupBy(sound, (object) => object.namespace)) {
    const of = (kind: string) => here.filter((object) => object.kind === kind).map(({ value }) => value);
    sources.set(
      namespace,
      sourcesOf(
        of("Secret").map((value) => dropNulls(Secret, value as unknown as Secret)), // just checked
        of("EndpointSlice").map((value) => dropNulls(EndpointSlice, value as unknown as EndpointSlice)), // just checked
      ),
    );
  }
  return sources;
}

interface BuildParts {
  readonly registry: Registry;
  readonly sources: Sources;
  readonly checkKeyPair?: CheckKeyPair;
}

function configOf(
  object: Located,
  { registry, sources, checkKeyPair }: BuildParts,
): { readonly config: FileConfig } | { readonly problems: readonly string[] } {
  const { namespace, name, file, value, positionOf } = object;
  const read = readEnvoyConfig(value);
  const spec = read.config && compileSpec(read.config.spec, namespace);
  const built = spec && buildSnapshot({ spec, sources }, { registry, ...(checkKeyPair ? { checkKeyPair } : {}) });
  const findings = [...read.findings, ...built?.findings ?? []].filter(({ severity }) => severity === "error");
  if (!spec || !built?.snapshot || findings.length > 0) {
    const placed = findings.map((finding) => {
      const source = finding.source ?? positionOf(finding.path);
      return formatFinding(source ? { ...finding, source } : finding);
    });
    return { problems: placed.length > 0 ? placed : [`EnvoyConfig ${namespace}/${name} cannot be read`] };
  }
  const resources = [...built.snapshot.types.values()].flatMap(({ resources }) => [...resources.values()]);
  const unknown = unknownResources(built);
  const left = new Set(unknown.map(({ type, name }) => `${type}/${name}`));
  return {
    config: {
      namespace,
      name,
      nodeId: spec.nodeId,
      version: spec.version,
      file,
      resources: resources.map((resource) => fileResource(resource, registry))
        .filter(({ type, name }) => !left.has(`${type}/${name}`)),
      unknown,
    },
  };
}

function fileResource({ typeUrl, name, version, body }: Resource, registry: Registry): FileResource {
  const { short: type = typeUrl, message = "" } = resourceTypeOf(typeUrl) ?? {};
  return { type, name, version, body: () => toJson(registry, message, body) };
}
