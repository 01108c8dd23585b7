import { checkSchema, dropNulls, EndpointSlice, readEnvoyConfig, Secret } from "../../api/mod.ts";
import { canonicalJson, type Finding, formatKey, hasErrors } from "../../base/mod.ts";
import { compileSpec, type Sources } from "../../snapshot/mod.ts";
import { keyOf, type ObjectEvent, type WatchedObject } from "../engine/object_source.ts";
import { ReverseIndex } from "../engine/reverse_index.ts";
import { statusOf } from "./config_status.ts";
import type { ConfigInput, RevisionInput } from "./inputs.ts";
import { bucketsOf, selectorBucket, SliceIndex } from "./slice_index.ts";
import type { OwnWrites } from "./own_writes.ts";
import { compiledRevision, isPublished, ownerUidOf, type ReadRevision, readRevision } from "./revision.ts";
import { nodeIdOf } from "./status.ts";

/** The kinds that decide what a node is served. */
export const WATCHED_KINDS = ["EnvoyConfig", "EnvoyConfigRevision", "Secret", "EndpointSlice"] as const;

/** The states that EnvoyConfigs are counted by. */
const CONFIG_STATES = ["InSync", "Rollback", "RollbackFailed", "NotServed"] as const;

/** One of them. */
export type ConfigState = typeof CONFIG_STATES[number];

/** What follows from an event. */
export interface Taken {
  /** To be planned again. */
  readonly groups: readonly string[];
  /** Whether specs, Secrets or slices changed, so that snapshots may have to be built anew. */
  readonly content: boolean;
}

/**
 * The watched objects, read once each, and who needs whom: an event on a Secret or a slice names exactly the node ids it
 * concerns (W34). A group is what is planned together: `node/<node id>`, or `config/<key>` for an object without one.
 */
export class ObjectsOfNodes {
  readonly #configs = new Map<string, ConfigInput>();
  readonly #secrets = new Map<string, Secret>();
  readonly #slices = new SliceIndex();
  readonly #groups = new ReverseIndex(); // config → its group
  readonly #bySecret = new ReverseIndex(); // config → Secrets
  readonly #byBucket = new ReverseIndex(); // config → buckets of its selectors
  readonly #unusable = new Map<string, readonly Finding[]>();
  readonly #uids = new Map<string, string>(); // uid → config
  readonly #revisions = new Map<string, ReadRevision>();
  readonly #revisionGroups = new ReverseIndex(); // revision → its group
  readonly #ownWrites: OwnWrites;

  constructor(ownWrites: OwnWrites) {
    this.#ownWrites = ownWrites;
  }

  /** Takes one event in and returns the groups that have to be planned again. */
  take(event: ObjectEvent): Taken {
    const { type, object } = event;
    if (type !== "deleted" && this.#ownWrites.isTaken(object)) return { groups: [], content: false };
    const present = type === "deleted" ? undefined : object;
    switch (object.kind) {
      case "EnvoyConfig":
        return this.#takeConfig(event);
      case "EnvoyConfigRevision":
        return { groups: this.#takeRevision(event), content: false };
      case "Secret":
        return { groups: this.#takeSecret(object, present), content: true };
      case "EndpointSlice":
        return { groups: this.#takeSlice(object, present), content: true };
      default:
        return { groups: [], content: false };
    }
  }

  /**
   * Takes in what a write of ours gave, unless something newer was told meanwhile: what we do next must not go by what was
   * there before. `before` is the object that the write went by.
   */
  wrote(object: WatchedObject, before: WatchedObject | undefined): void {
    const id = formatKey(keyOf(object));
    const known = object.kind === "EnvoyConfig" ? this.#configs.get(id) : this.#revisions.get(id);
    if (known?.object !== before) return;
    // The answer to a write may come after the news that what was made is gone again; no other news would come of it.
    if (!before && !this.#ownWrites.awaits(id)) return;
    this.take({ type: before ? "modified" : "added", object });
    this.#ownWrites.wrote(object);
  }

  /** Every group there is. */
  groups(): Set<string> {
    const groups = new Set<string>();
    for (const config of this.#configs.keys()) for (const group of this.#groups.keysOf(config)) groups.add(group);
    for (const { nodeId } of this.#revisions.values()) groups.add(`node/${nodeId}`);
    return groups;
  }

  /** The revisions of a group, each with whose it is. */
  revisionsOf(group: string): RevisionInput[] {
    return [...this.#revisionGroups.ownersOf(group)].map((id) => {
      const revision = this.#revisions.get(id)!; // the index and the map change together
      const uid = ownerUidOf(revision.object);
      const config = uid === undefined ? undefined : this.#uids.get(uid);
      const here = config !== undefined && this.#groups.keysOf(config).includes(group);
      return { ...revision, owner: { uid, state: config === undefined ? "unknown" : here ? "here" : "moved" } };
    });
  }

  /** The EnvoyConfigs of a group. */
  configsOf(group: string): ConfigInput[] {
    return [...this.#groups.ownersOf(group)].map((config) => this.#configs.get(config)!);
  }

  /** The Secrets and slices of a namespace. */
  sourcesIn(namespace: string): Sources {
    return {
      secret: (name) => this.#secrets.get(`${namespace}/${name}`),
      slices: (selector) => this.#slices.select(namespace, selector),
    };
  }

  /** Secrets and slices whose structure is broken, by key, with the reasons; they count as missing. */
  unusable(): ReadonlyMap<string, readonly Finding[]> {
    return this.#unusable;
  }

  /** How many EnvoyConfigs are in each state; one that says nothing, or is not served, counts as `NotServed` (W32). */
  states(): ReadonlyMap<ConfigState, number> {
    const counts = new Map(CONFIG_STATES.map((state) => [state, 0]));
    for (const { object } of this.#configs.values()) {
      const { cacheState } = statusOf(object);
      const state = CONFIG_STATES.find((one) => one === cacheState) ?? "NotServed";
      counts.set(state, counts.get(state)! + 1); // all states are there
    }
    return counts;
  }

  #takeConfig(event: ObjectEvent): Taken {
    const { type, object } = event;
    const present = type === "deleted" ? undefined : object;
    const id = formatKey(keyOf(object));
    const before = this.#configs.get(id);
    if (type === "deleted" && isOther(before?.object, object)) return { groups: [], content: false };
    const quiet = this.#ownWrites.explains(event, before?.object);
    if (present && before && onlyStatusChanged(before.object, present)) {
      this.#configs.set(id, { object: present, read: before.read });
      // Whoever does not lead goes by what another one writes there.
      return { groups: quiet ? [] : this.#groups.keysOf(id), content: false };
    }
    return { groups: this.#readConfig(id, { present, before }), content: true };
  }

  #readConfig(
    id: string,
    { present, before }: { present: WatchedObject | undefined; before: ConfigInput | undefined },
  ): string[] {
    const groups = new Set(this.#groups.keysOf(id));
    if (before) this.#uids.delete(before.object.metadata.uid ?? "");
    if (present?.metadata.uid !== undefined) this.#uids.set(present.metadata.uid, id);
    if (!present) {
      this.#configs.delete(id);
      for (const index of [this.#groups, this.#bySecret, this.#byBucket]) index.set(id, []);
      return [...groups];
    }
    const read = readEnvoyConfig(present);
    this.#configs.set(id, { object: present, read });
    const group = groupOf(present);
    this.#groups.set(id, [group]);
    const { namespace } = keyOf(present);
    const used = read.config ? compileSpec(read.config.spec, namespace).used : { secrets: [], selectors: [] };
    this.#bySecret.set(id, used.secrets.map((name) => `${namespace}/${name}`));
    this.#byBucket.set(id, used.selectors.map((selector) => selectorBucket(namespace, selector)));
    return [...groups.add(group)];
  }

  #takeRevision(event: ObjectEvent): string[] {
    const { type, object } = event;
    const id = formatKey(keyOf(object));
    const before = this.#revisions.get(id);
    if (type === "deleted" && isOther(before?.object, object)) return [];
    const quiet = this.#ownWrites.explains(event, before?.object);
    const groups = new Set(this.#revisionGroups.keysOf(id));
    const read = type === "deleted" ? undefined : reread(object, before);
    if (read) this.#revisions.set(id, read);
    else this.#revisions.delete(id);
    const group = read && `node/${read.nodeId}`;
    this.#revisionGroups.set(id, group ? [group] : []);
    // What is served may be another revision than the spec says; its Secrets and slices count, too.
    const used = read && isPublished(object) ? compiledRevision(read)?.used : undefined;
    const { namespace } = keyOf(object);
    this.#bySecret.set(id, used?.secrets.map((name) => `${namespace}/${name}`) ?? []);
    this.#byBucket.set(id, used?.selectors.map((selector) => selectorBucket(namespace, selector)) ?? []);
    if (quiet) return [];
    if (group) groups.add(group);
    return [...groups];
  }

  #takeSecret(object: WatchedObject, present: WatchedObject | undefined): string[] {
    const { namespace, name } = keyOf(object);
    const id = `${namespace}/${name}`;
    const secret = present && this.#read<Secret>(Secret, present);
    if (secret) this.#secrets.set(id, secret);
    else this.#secrets.delete(id);
    if (!present) this.#unusable.delete(formatKey(keyOf(object)));
    return this.#groupsOf(this.#bySecret.ownersOf(id));
  }

  #takeSlice(object: WatchedObject, present: WatchedObject | undefined): string[] {
    const { namespace, name } = keyOf(object);
    const slice = present && this.#read<EndpointSlice>(EndpointSlice, present);
    if (!present) this.#unusable.delete(formatKey(keyOf(object)));
    const before = this.#slices.replace(namespace, name, slice);
    const owners = new Set<string>();
    for (const bucket of new Set([...bucketsOf(namespace, before), ...bucketsOf(namespace, slice)])) {
      for (const owner of this.#byBucket.ownersOf(bucket)) owners.add(owner);
    }
    return this.#groupsOf(owners);
  }

  #read<T>(schema: unknown, object: WatchedObject): T | undefined {
    const findings = checkSchema(schema, object);
    const key = formatKey(keyOf(object));
    if (findings.length > 0) this.#unusable.set(key, findings);
    else this.#unusable.delete(key);
    return hasErrors(findings) ? undefined : dropNulls(schema, object as unknown as T); // just checked
  }

  #groupsOf(configs: Iterable<string>): string[] {
    const groups = new Set<string>();
    for (const owner of configs) {
      for (const group of this.#groups.keysOf(owner)) groups.add(group);
      for (const group of this.#revisionGroups.keysOf(owner)) groups.add(group);
    }
    return [...groups];
  }
}

/** What an EnvoyConfig is planned with. */
function groupOf(object: WatchedObject): string {
  const nodeId = nodeIdOf(object);
  return nodeId === undefined ? `config/${formatKey(keyOf(object))}` : `node/${nodeId}`;
}

/** Unchanged content keeps its identity: what was compiled from it stands. */
function reread(object: WatchedObject, before: ReadRevision | undefined): ReadRevision | undefined {
  const { uid, generation } = object.metadata;
  const same = before && generation !== undefined && before.object.metadata.uid === uid &&
    before.object.metadata.generation === generation;
  return same ? { ...before, object } : readRevision(object);
}

/** Whether an event tells of one that had the same name before. */
function isOther(known: WatchedObject | undefined, { metadata }: WatchedObject): boolean {
  return known !== undefined && known.metadata.uid !== metadata.uid;
}

/** Whether what an EnvoyConfig asks for is as it was. */
function onlyStatusChanged(before: WatchedObject, after: WatchedObject): boolean {
  const [one, other] = [before.metadata, after.metadata];
  return one.generation !== undefined && one.uid === other.uid && one.generation === other.generation &&
    one.deletionTimestamp === other.deletionTimestamp &&
    canonicalJson(one.annotations ?? {}) === canonicalJson(other.annotations ?? {});
}
