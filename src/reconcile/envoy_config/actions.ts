import { ANNOTATIONS, API_VERSION } from "../../api/mod.ts";
import { ChanceryError, type ObjectKey } from "../../base/mod.ts";
import { keyOf, type ObjectStore, type WatchedObject } from "../engine/object_source.ts";
import { has, statusOf } from "./config_status.ts";
import { readRevision, taintOf } from "./revision.ts";
import { pinValue } from "./steering.ts";

/** What the actions need of a store. */
export interface SteerStore extends Pick<ObjectStore, "apply"> {
  get(key: ObjectKey): Promise<WatchedObject | undefined>;
}

/** What became of an action. */
export interface Steered {
  /** The version that is to be served. */
  readonly version: string;
  /** Whether anything had to be done; asking twice does nothing the second time. */
  readonly changed: boolean;
}

const FIELD_MANAGER = "chancery-steer";

/**
 * Asks for the desired version to be tried again although it was refused, and for a pin to end (W17). `now` in milliseconds
 * since the epoch. Throws `not-found` when there is no such EnvoyConfig.
 */
export async function retry(store: SteerStore, { key, now }: { key: ObjectKey; now: number }): Promise<Steered> {
  const config = await configOf(store, key);
  const status = statusOf(config);
  const version = status.desiredVersion ?? "";
  const annotations = config.metadata.annotations ?? {};
  const desired = (await revisionsOf(store, config)).find((revision) => revision.version === version);
  const waits = annotations[ANNOTATIONS.retry] !== undefined && annotations[ANNOTATIONS.retry] !== status.observedRetry;
  const pinned = annotations[ANNOTATIONS.pin] !== undefined && !status.pin?.ended;
  const refused = (desired && taintOf(desired.object)) || has(config, "ClientsRejecting");
  if (waits || (!refused && !pinned)) return { version, changed: false };
  await annotate(store, config, { [ANNOTATIONS.retry]: new Date(now).toISOString() });
  return { version, changed: true };
}

/**
 * Holds a version until the spec is changed or a retry is asked for; a beginning is enough where only one version has it.
 * Throws `not-found` when there is no such EnvoyConfig or version.
 */
export async function pin(
  store: SteerStore,
  { key, version, now }: { key: ObjectKey; version: string; now: number },
): Promise<Steered> {
  const config = await configOf(store, key);
  const found = (await revisionsOf(store, config)).filter((revision) => revision.version.startsWith(version));
  const [revision] = found.filter((one) => one.version === version).concat(found);
  if (version === "" || !revision || (found.length > 1 && revision.version !== version)) {
    const many = found.length > 1 ? "several versions begin like that" : "there is no revision of it";
    throw new ChanceryError("not-found", `Cannot pin version "${version}" of ${nameOf(key)}: ${many}`);
  }
  const { generation = 0, annotations = {} } = config.metadata;
  const { pin: known } = statusOf(config);
  const value = pinValue(revision.version, generation);
  const set = annotations[ANNOTATIONS.pin];
  const same = set === value || set?.startsWith(`${value}@`);
  if (same && !(known?.value === set && known?.ended)) {
    return { version: revision.version, changed: false };
  }
  const spent = known?.value === value; // it has ended, so it takes another value to begin again
  await annotate(store, config, { [ANNOTATIONS.pin]: spent ? `${value}@${now}` : value });
  return { version: revision.version, changed: true };
}

async function configOf(store: SteerStore, key: ObjectKey): Promise<WatchedObject> {
  const config = await store.get(key);
  if (!config) throw new ChanceryError("not-found", `Cannot find EnvoyConfig ${nameOf(key)}`);
  return config;
}

/** At most as many as are kept; a namespace may hold a thousand times more. */
async function revisionsOf(store: SteerStore, config: WatchedObject) {
  const { namespace } = keyOf(config);
  const names = statusOf(config).revisions?.flatMap(({ ref }) => ref.name ?? []) ?? [];
  const found = await Promise.all(names.map((name) => store.get({ kind: "EnvoyConfigRevision", namespace, name })));
  return found.flatMap((object) => object ? readRevision(object) ?? [] : []);
}

/** States all our annotations: what was stated before and is not now goes. */
async function annotate(
  store: SteerStore,
  { metadata: { name, namespace, uid } }: WatchedObject,
  annotations: Readonly<Record<string, string>>,
): Promise<void> {
  const metadata = {
    name,
    ...(namespace === undefined ? {} : { namespace }),
    ...(uid === undefined ? {} : { uid }),
    annotations,
  };
  await store.apply({ apiVersion: API_VERSION, kind: "EnvoyConfig", metadata }, {
    fieldManager: FIELD_MANAGER,
    force: true,
  });
}

function nameOf({ namespace, name }: ObjectKey): string {
  return JSON.stringify(`${namespace}/${name}`);
}
