import type { ObjectKey } from "../../base/mod.ts";

/** An EnvoyConfig that has a node id. */
export interface NodeIdHolder {
  readonly key: ObjectKey;
  /** RFC 3339; the oldest holder is the one that is served. */
  readonly createdAt: string;
}

/** Which EnvoyConfigs have which node id. */
export class NodeIds {
  readonly #byNodeId = new Map<string, Map<string, NodeIdHolder>>();
  readonly #nodeIdOf = new Map<string, string>();

  /** Notes an EnvoyConfig as it is now. One that is being deleted holds nothing. */
  set(object: unknown): void {
    const { metadata, spec } = object as StoredEnvoyConfig; // of a store of EnvoyConfigs
    const key = { kind: "EnvoyConfig", namespace: metadata.namespace ?? "", name: metadata.name };
    this.delete(key);
    const nodeId = spec?.nodeID;
    if (typeof nodeId !== "string" || nodeId === "" || metadata.deletionTimestamp) return;
    const holder = { key, createdAt: metadata.creationTimestamp ?? "" };
    const holders = this.#byNodeId.get(nodeId) ?? new Map<string, NodeIdHolder>();
    holders.set(idOf(key), holder);
    this.#byNodeId.set(nodeId, holders);
    this.#nodeIdOf.set(idOf(key), nodeId);
  }

  /** Forgets an EnvoyConfig. */
  delete(key: ObjectKey): void {
    const nodeId = this.#nodeIdOf.get(idOf(key));
    if (nodeId === undefined) return;
    this.#nodeIdOf.delete(idOf(key));
    const holders = this.#byNodeId.get(nodeId);
    holders?.delete(idOf(key));
    if (holders?.size === 0) this.#byNodeId.delete(nodeId);
  }

  /** Who has a node id, the oldest first. */
  holders(nodeId: string): NodeIdHolder[] {
    return [...this.#byNodeId.get(nodeId)?.values() ?? []].sort((a, b) =>
      a.createdAt === b.createdAt ? compare(idOf(a.key), idOf(b.key)) : compare(a.createdAt, b.createdAt)
    );
  }
}

interface StoredEnvoyConfig {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly creationTimestamp?: string;
    readonly deletionTimestamp?: string;
  };
  readonly spec?: { readonly nodeID?: unknown };
}

function idOf({ namespace, name }: ObjectKey): string {
  return `${namespace}/${name}`;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
