import type { Layer } from "./layer.ts";
import type { Seat } from "./seat.ts";

/** The layers there are, and the clients that each of their keys may concern. */
export class Layers {
  readonly #layers = new Map<string, Layer>();
  readonly #seats = new Map<string, Set<Seat>>();

  set(key: string, layer: Layer): void {
    this.#layers.set(key, layer);
  }

  /** Whether there was one. */
  remove(key: string): boolean {
    return this.#layers.delete(key);
  }

  /** The first one there is. */
  find(keys: readonly string[]): Layer | undefined {
    for (const key of keys) {
      const layer = this.#layers.get(key);
      if (layer) return layer;
    }
    return undefined;
  }

  /** Who may be found by a key. */
  seatsAt(key: string): Iterable<Seat> {
    return this.#seats.get(key) ?? [];
  }

  enter(seat: Seat): void {
    for (const key of seat.layerKeys) {
      const seats = this.#seats.get(key);
      if (seats) seats.add(seat);
      else this.#seats.set(key, new Set([seat]));
    }
  }

  leave(seat: Seat): void {
    for (const key of seat.layerKeys) {
      const seats = this.#seats.get(key);
      if (seats?.delete(seat) && seats.size === 0) this.#seats.delete(key);
    }
  }
}
