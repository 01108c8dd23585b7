import { type KubeObject, objectTitle } from "../install/mod.ts";

/** A kind that is looked at. */
export interface InventoryKind {
  readonly apiVersion: string;
  readonly kind: string;
  /** Only objects with this label; all of them when absent. */
  readonly label?: string;
  /** Asks the API server for names, labels and annotations alone. */
  readonly metadataOnly?: boolean;
}

/** All there is to look at, of a cluster or of files. */
export class Inventory {
  readonly #kinds: ReadonlyMap<string, readonly KubeObject[]>;

  constructor(objects: readonly KubeObject[]) {
    this.#kinds = Map.groupBy(objects, ({ apiVersion, kind }) => `${apiVersion} ${kind}`);
  }

  /** The objects of a kind, as `T` describes them, ordered by namespace and name. What was read may lack any field. */
  of<T>({ apiVersion, kind }: InventoryKind): readonly (KubeObject & T)[] {
    const objects = this.#kinds.get(`${apiVersion} ${kind}`) ?? [];
    return [...objects].sort((a, b) => objectTitle(a) < objectTitle(b) ? -1 : 1) as (KubeObject & T)[]; // of that kind
  }
}
