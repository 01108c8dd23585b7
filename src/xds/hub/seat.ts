import { type Snapshot, snapshotOf } from "../../snapshot/mod.ts";
import type { Offer } from "../session/mod.ts";
import type { Layer } from "./layer.ts";
import type { Stream } from "./stream.ts";

/** What a node id gets, as far as it is known. */
export interface Base {
  readonly snapshot: Snapshot;
  /** Whether a refused response is tried again, because nothing better is left. */
  readonly retryRefused: boolean;
}

/** The streams of one node id that get the same: all of them, or those that say they are the same client where layers are. */
export class Seat {
  readonly streams = new Set<Stream>();
  /** By which a layer is found, the first one there is. */
  readonly layerKeys: readonly string[];
  /** When streams were last told, on the clock of the hub. */
  offeredAt = -Infinity;
  cancelFlush: (() => void) | undefined;
  #base: Base | undefined;
  #layer: Layer | undefined;
  #offer: Offer | undefined;
  #serial = 0;

  constructor(layerKeys: readonly string[], { base, layer }: { base: Base | undefined; layer: Layer | undefined }) {
    this.layerKeys = layerKeys;
    this.#base = base;
    this.#layer = layer;
    if (base || layer) this.#compose();
  }

  /** What its streams get; `undefined` when they wait. */
  get offer(): Offer | undefined {
    return this.#offer;
  }

  get base(): Snapshot | undefined {
    return this.#base?.snapshot;
  }

  get layer(): Layer | undefined {
    return this.#layer;
  }

  /** Whether there is something new to tell. */
  setBase(base: Base): boolean {
    this.#base = base;
    return this.#compose();
  }

  /** Nobody configures the node id any more, and its clients keep what they have; newcomers wait unless they have a layer. */
  keepBase(): void {
    if (!this.#layer) this.#offer = undefined;
  }

  /** Whether there is something new to tell. Without a layer it is the node id's configuration alone, or nothing if there is none. */
  setLayer(layer: Layer | undefined): boolean {
    if (layer === this.#layer) return false;
    this.#layer = layer;
    return this.#compose();
  }

  #compose(): boolean {
    const { snapshot: base, retryRefused = true } = this.#base ?? {};
    const before = this.#offer;
    const snapshot = this.#layer?.over(base, before?.snapshot) ?? base ?? snapshotOf([]);
    const same = before && sameSnapshot(before.snapshot, snapshot);
    if (same && before.retryRefused === retryRefused) return false;
    this.#offer = { serial: same ? before.serial : ++this.#serial, snapshot, retryRefused };
    return true;
  }
}

function sameSnapshot(a: Snapshot, b: Snapshot): boolean {
  if (a === b) return true;
  if (a.revision !== b.revision || a.types.size !== b.types.size) return false;
  for (const [typeUrl, type] of a.types) if (b.types.get(typeUrl) !== type) return false;
  return true;
}
