import type { EnvoyConfigStatus } from "../../api/mod.ts";
import { LABELS } from "../../api/mod.ts";
import { ChanceryError, formatKey, type ObjectKey } from "../../base/mod.ts";
import type { Store, StoredObject } from "../../store/mod.ts";
import type { ConfigsQuery, ObjectReader } from "../documents/mod.ts";

/** EnvoyConfigs as they were read. */
export type Objects = readonly StoredObject[];

/** More revisions than these are not asked for one by one. */
const MAX_SINGLE = 16;
/** So many versions are asked for at once: the question is part of an address. */
const VERSIONS_AT_A_TIME = 200;

interface KnownRevision {
  /** Version of the EnvoyConfig when it was read: the revision is read again when that is another. */
  readonly of: string;
  readonly object: StoredObject | undefined;
}

/** The objects of one answer. Of revisions only those are read that there is something to say of, and none of them twice. */
export class Look implements ObjectReader {
  readonly #store: Pick<Store, "get" | "list">;
  #configs: Objects;
  #query: ConfigsQuery = {};
  #revisions = new Map<string, KnownRevision>();

  constructor(store: Pick<Store, "get" | "list">, configs: Objects) {
    this.#store = store;
    this.#configs = configs;
  }

  /** These are the EnvoyConfigs now; reads what will be asked of their revisions, and forgets the others. */
  async at(configs: Objects, query: ConfigsQuery): Promise<void> {
    this.#configs = configs;
    this.#query = query;
    const known = this.#revisions;
    this.#revisions = new Map();
    const missing: Wanted[] = [];
    for (const one of configs.flatMap(wantedRevisions)) {
      const before = known.get(formatKey(one.key));
      if (before?.of === one.of) this.#revisions.set(formatKey(one.key), before);
      else missing.push(one);
    }
    if (missing.length > MAX_SINGLE) await this.#readMany(missing, query.namespace);
    else await Promise.all(missing.map(async ({ key, of }) => this.#keep(key, of, await this.#store.get(key))));
  }

  async get(key: ObjectKey): Promise<StoredObject | undefined> {
    const { namespace, name } = key;
    if (key.kind === "EnvoyConfig") {
      return this.#configs.find(({ metadata }) => metadata.namespace === namespace && metadata.name === name);
    }
    const known = this.#revisions.get(formatKey(key));
    return known ? known.object : await this.#store.get(key);
  }

  /** Whoever may not see all namespaces gets what was asked for anyway. */
  async list(kind: string, query: { readonly namespace?: string } = {}): Promise<{ readonly items: Objects }> {
    if (kind !== "EnvoyConfig") return await this.#store.list(kind, query);
    const whole = this.#query.namespace === undefined && this.#query.name === undefined;
    if (whole || query.namespace !== undefined) return { items: this.#configs };
    try {
      return await this.#store.list(kind, query);
    } catch (thrown) {
      if (thrown instanceof ChanceryError && thrown.code === "forbidden") return { items: this.#configs };
      throw thrown;
    }
  }

  async #readMany(wanted: readonly Wanted[], namespace: string | undefined): Promise<void> {
    const byKey = new Map(wanted.map((one) => [formatKey(one.key), one]));
    const versions = [...new Set(wanted.map(({ version }) => version))];
    for (let start = 0; start < versions.length; start += VERSIONS_AT_A_TIME) {
      const values = versions.slice(start, start + VERSIONS_AT_A_TIME);
      const { items } = await this.#store.list("EnvoyConfigRevision", {
        ...(namespace === undefined ? {} : { namespace }),
        labels: { matchExpressions: [{ key: LABELS.configVersion, operator: "In", values }] },
      });
      for (const object of items) {
        const key = { kind: "EnvoyConfigRevision", ...object.metadata };
        const one = byKey.get(formatKey(key));
        if (one) this.#keep(key, one.of, object);
      }
    }
    for (const { key, of } of wanted) if (!this.#revisions.has(formatKey(key))) this.#keep(key, of, undefined);
  }

  #keep(key: ObjectKey, of: string, object: StoredObject | undefined): void {
    this.#revisions.set(formatKey(key), { of, object });
  }
}

interface Wanted {
  readonly key: ObjectKey;
  readonly version: string;
  readonly of: string;
}

/** The revisions of an EnvoyConfig that tell what it does not tell itself: why something is not served, in whose words. */
function wantedRevisions({ metadata: { namespace, resourceVersion }, ...object }: StoredObject): Wanted[] {
  const status = (object["status"] ?? {}) as EnvoyConfigStatus; // written by us alone
  const { cacheState, desiredVersion, publication, clients, revisions = [] } = status;
  const versions = new Set([
    ...(cacheState === "InSync" ? [] : [desiredVersion]),
    ...(clients && clients.rejected + clients.refusedData > 0 ? [publication?.split("-")[0]] : []),
  ]);
  return revisions.filter(({ version }) => versions.has(version)).map(({ version, ref }) => ({
    key: { kind: "EnvoyConfigRevision", namespace, name: ref.name ?? "" },
    version,
    of: resourceVersion,
  }));
}
