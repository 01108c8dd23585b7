import {
  checkSchema,
  dropNulls,
  EndpointSlice,
  type EnvoyConfigStatus,
  type LabelSelector,
  Secret,
  SELECTOR_OPERATORS,
} from "../../api/mod.ts";
import { ChanceryError, hasErrors, type ObjectKey } from "../../base/mod.ts";
import { envoyRegistry } from "../../envoy/mod.ts";
import { compiledRevision, readRevision } from "../../reconcile/mod.ts";
import {
  buildSnapshot,
  type BuiltItem,
  type CompiledSpec,
  parsePublication,
  type Snapshot,
  type Sources,
  sourcesOf,
} from "../../snapshot/mod.ts";
import type { ListQuery, Store, StoredObject } from "../../store/mod.ts";
import { unknownResources } from "../diff/unknown_resources.ts";
import type { ServedDocument, UnknownResource } from "../documents/mod.ts";
import { servedDocument } from "../documents/served.ts";
import { checkKeyPair } from "../serving/key_pair.ts";

/** What a node id is served, made anew from the revision that is published. */
export interface Rebuilt {
  readonly nodeId: string;
  readonly snapshot: Snapshot;
  readonly unknown: readonly UnknownResource[];
}

type Reader = Pick<Store, "get" | "list">;

/**
 * Builds what a discovery service makes of the same objects: the published revision, and the Secrets and EndpointSlices that it
 * names. What of these must not be read is left out and told. Throws `not-found` when nothing is served.
 */
export async function rebuild(
  store: Reader,
  { nodeId, namespace }: { nodeId: string; namespace: string },
): Promise<Rebuilt> {
  const nothing = `Nothing is served to node id ${JSON.stringify(nodeId)}`;
  const config = await servingConfig(store, { nodeId, namespace });
  const { publication, revisions = [] } = config ? statusOf(config) : {};
  if (!config || publication === undefined) throw new ChanceryError("not-found", nothing);
  const { version } = parsePublication(publication);
  const { ref } = revisions.find((one) => one.version === version) ?? {};
  const key = { kind: "EnvoyConfigRevision", namespace: config.metadata.namespace, name: ref?.name ?? "" };
  const revision = ref && await store.get(key);
  const read = revision && readRevision(revision);
  const spec = read && compiledRevision(read);
  if (!spec) throw new ChanceryError("not-found", `${nothing}: there is no revision ${version} that can be read`);
  const { sources, refused } = await readSources(store, spec);
  const built = buildSnapshot({ spec, publication: parsePublication(publication), sources }, {
    registry: envoyRegistry(),
    checkKeyPair,
  });
  if (!built.snapshot) throw new ChanceryError("not-found", `${nothing}: revision ${version} cannot be loaded`);
  return { nodeId, snapshot: built.snapshot, unknown: unknownResources(built, (item) => refused.get(sourceOf(item))) };
}

/** The document, with the bodies of `wanted`; resources that are not known are left out. */
export function rebuiltDocument({ nodeId, snapshot, unknown }: Rebuilt, wanted: ReadonlySet<string>): ServedDocument {
  const document = servedDocument(nodeId, { snapshot, registry: envoyRegistry(), wanted });
  const left = new Set(unknown.map(({ type, name }) => `${type}/${name}`));
  return {
    ...document,
    resources: document.resources.filter(({ type, name }) => !left.has(`${type}/${name}`)),
    unknown,
  };
}

/** The EnvoyConfig that a node id is served from, in this namespace or, for those who may look, in any other. */
async function servingConfig(
  store: Reader,
  { nodeId, namespace }: { nodeId: string; namespace: string },
): Promise<StoredObject | undefined> {
  const serves = (object: StoredObject) =>
    (object["spec"] as { nodeID?: unknown } | undefined)?.nodeID === nodeId &&
    statusOf(object).publication !== undefined;
  const here = (await store.list("EnvoyConfig", { namespace })).items.find(serves);
  if (here) return here;
  const everywhere = await permitted(() => store.list("EnvoyConfig"));
  return "refused" in everywhere ? undefined : everywhere.value.items.find(serves);
}

interface ReadSources {
  readonly sources: Sources;
  /** Why something must not be read: by name of a Secret, or by selector as JSON. */
  readonly refused: ReadonlyMap<string, string>;
}

async function readSources(store: Reader, { namespace, used }: CompiledSpec): Promise<ReadSources> {
  const refused = new Map<string, string>();
  const secrets: Secret[] = [];
  const slices = new Map<string, EndpointSlice>();
  await Promise.all([
    ...used.secrets.map(async (name) => {
      const key: ObjectKey = { kind: "Secret", namespace, name };
      const got = await permitted(() => store.get(key));
      if ("refused" in got) refused.set(name, got.refused);
      else if (got.value) secrets.push(...sound<Secret>(Secret, got.value));
    }),
    ...used.selectors.map(async (selector) => {
      const got = await permitted(() => store.list("EndpointSlice", { namespace, labels: asked(selector) }));
      if ("refused" in got) return void refused.set(selectorName(selector), got.refused);
      for (const slice of got.value.items.flatMap((one) => sound<EndpointSlice>(EndpointSlice, one))) {
        slices.set(slice.metadata.name, slice);
      }
    }),
  ]);
  return { sources: sourcesOf(secrets, [...slices.values()]), refused };
}

/** As much of a selector as an API server takes; the build chooses among what comes once more, by all of it. */
function asked({ matchLabels, matchExpressions = [] }: LabelSelector): NonNullable<ListQuery["labels"]> {
  const known = matchExpressions.flatMap(({ key, operator, values }) => {
    const name = SELECTOR_OPERATORS.find((one) => one === operator);
    return name ? [{ key, operator: name, ...(values && { values }) }] : [];
  });
  return { ...(matchLabels && { matchLabels }), matchExpressions: known };
}

/** What an item is made of, as {@linkcode ReadSources.refused} calls it. */
function sourceOf({ item: { item } }: BuiltItem): string {
  const { generateFromTlsSecret, generateFromOpaqueSecret, generateFromEndpointSlices } = item;
  if (generateFromEndpointSlices) return selectorName(generateFromEndpointSlices.selector);
  return generateFromTlsSecret ?? generateFromOpaqueSecret?.name ?? "";
}

function selectorName(selector: LabelSelector): string {
  return JSON.stringify(selector);
}

/** The object when its structure is sound; others count as missing, as they do for whoever serves. */
function sound<T>(schema: unknown, object: StoredObject): T[] {
  return hasErrors(checkSchema(schema, object)) ? [] : [dropNulls(schema, object as unknown as T)]; // just checked
}

async function permitted<T>(ask: () => Promise<T>): Promise<{ readonly value: T } | { readonly refused: string }> {
  try {
    return { value: await ask() };
  } catch (thrown) {
    if (thrown instanceof ChanceryError && thrown.code === "forbidden") return { refused: thrown.message };
    throw thrown;
  }
}

function statusOf(object: StoredObject): EnvoyConfigStatus {
  return (object["status"] ?? {}) as EnvoyConfigStatus; // written by us alone
}
