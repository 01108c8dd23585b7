import { type Clock, systemClock } from "../../base/mod.ts";
import { type Snapshot, snapshotOf } from "../../snapshot/mod.ts";
import type { CallStatus, StreamHandler, XdsCall, XdsHandler } from "../call.ts";
import { DEFAULT_POLICY, type SessionPolicy } from "../session/mod.ts";
import type { NodeInfo } from "../wire/mod.ts";
import type { Layer } from "./layer.ts";
import { Layers } from "./layers.ts";
import type { XdsObserver } from "./observer.ts";
import { type Base, Seat } from "./seat.ts";
import { Stream, type StreamContext } from "./stream.ts";

/** Options of {@linkcode Hub}. */
export interface HubOptions {
  readonly policy?: Partial<SessionPolicy>;
  readonly clock?: Clock;
  readonly observer?: XdsObserver;
  /** Says why a peer may not be a node; by default every peer may be every node. */
  readonly authorize?: (node: NodeInfo, stream: XdsCall) => string | undefined;
  /** By which a client finds its layer, the best first; none when absent. */
  readonly layerKeys?: (node: NodeInfo, stream: XdsCall) => readonly string[];
  /**
   * The least time between two roll-outs to the same node, in milliseconds; what changes meanwhile goes out as one. The first
   * change after a quiet time goes out at once. 50 by default.
   */
  readonly coalesceMs?: number;
}

/** Options of {@linkcode Hub.set}. */
export interface SetOptions {
  /** Try a refused response again, ever more rarely, because nothing better is left. */
  readonly retryRefused?: boolean;
}

interface Node {
  readonly seats: Map<string, Seat>; // by layer keys
  base: Base | undefined;
}

/** A time in which nothing is answered. */
interface Pause {
  /** Resolves when it is over. */
  readonly over: Promise<void>;
  end(): void;
  /** Clients that got another configuration meanwhile. */
  readonly changed: Set<Seat>;
  /** Whether newcomers are sent away by now. */
  long: boolean;
  readonly cancelPatience: () => void;
}

const SHUTTING_DOWN: CallStatus = { code: 14, details: "The server is shutting down" };
const CATCHING_UP: CallStatus = { code: 14, details: "The server does not know the present configuration yet" };

/** How long newcomers wait in a pause, in milliseconds; then they had better ask somebody else. */
const PATIENCE_MS = 3_000;

/**
 * Connects snapshots with streams. Subscriptions live in the streams and configurations in the nodes, so neither is lost when
 * the other goes (W5): a node without configuration waits, and gets one when it comes.
 */
export class Hub implements XdsHandler {
  readonly #nodes = new Map<string, Node>();
  readonly #layers = new Layers();
  readonly #seats = new Map<Stream, Seat>();
  readonly #unidentified = new Set<Stream>();
  readonly #context: StreamContext;
  readonly #clock: Clock;
  readonly #coalesceMs: number;
  #ended = false;
  #pause: Pause | undefined;

  constructor(options: HubOptions = {}) {
    this.#clock = options.clock ?? systemClock;
    this.#coalesceMs = options.coalesceMs ?? 50;
    this.#context = {
      clock: this.#clock,
      policy: { ...DEFAULT_POLICY, ...options.policy },
      observer: options.observer ?? {},
      authorize: options.authorize ?? (() => undefined),
      pause: () => this.#pause?.over,
      knowsType: (typeUrl) => [...this.#nodes.values()].some((node) => node.base?.snapshot.types.has(typeUrl)),
      join: (stream, info, call) => {
        this.#unidentified.delete(stream);
        const seat = this.#seat(info.id, options.layerKeys?.(info, call) ?? []);
        seat.streams.add(stream);
        this.#seats.set(stream, seat);
        return seat.offer;
      },
      leave: (stream) => {
        const id = stream.info?.node.id;
        const seat = this.#seats.get(stream);
        this.#seats.delete(stream);
        if (id === undefined || !seat) return;
        seat.streams.delete(stream);
        if (seat.streams.size === 0) this.#dropSeat(id, seat);
      },
    };
  }

  open(call: XdsCall): StreamHandler {
    const stream = new Stream(call, this.#context);
    if (this.#ended) stream.end(SHUTTING_DOWN);
    else if (this.#pause?.long) stream.end(CATCHING_UP);
    else this.#unidentified.add(stream);
    return {
      request: (bytes) => stream.request(bytes),
      closed: () => {
        this.#unidentified.delete(stream);
        stream.closed();
      },
    };
  }

  /** Gives a node its configuration. A snapshot that says the same as the one before changes nothing. */
  set(nodeId: string, snapshot: Snapshot, options: SetOptions = {}): void {
    const node = this.#node(nodeId);
    const base = { snapshot, retryRefused: options.retryRefused ?? false };
    node.base = base;
    for (const seat of node.seats.values()) if (seat.setBase(base)) this.#schedule(seat);
  }

  /**
   * Takes a node's configuration away. `keep`: connected clients keep what they have, new ones wait. `empty`: they are told
   * that nothing is left, in the usual order.
   */
  remove(nodeId: string, how: "keep" | "empty"): void {
    const node = this.#nodes.get(nodeId);
    if (!node) return;
    if (how === "empty") return this.set(nodeId, snapshotOf([]));
    node.base = undefined;
    for (const seat of node.seats.values()) {
      seat.keepBase();
      if (seat.offer) continue;
      seat.cancelFlush?.();
      seat.cancelFlush = undefined;
    }
    this.#dropIfUnused(nodeId, node);
  }

  /** From now on clients that are found by this key get this besides what their node id gets. */
  setLayer(key: string, layer: Layer): void {
    this.#layers.set(key, layer);
    this.#relayer(key);
  }

  /** Takes a layer away. `keep`: connected clients keep it. `empty`: they are told that it is gone. */
  removeLayer(key: string, how: "keep" | "empty"): void {
    if (this.#layers.remove(key) && how === "empty") this.#relayer(key);
  }

  /** The configuration of a node as it is offered now; where only layers are, that of one of its clients. */
  snapshot(nodeId: string): Snapshot | undefined {
    const node = this.#nodes.get(nodeId);
    return node && snapshotOfNode(node);
  }

  /** The streams of one node. */
  streamsOf(nodeId: string): readonly Stream[] {
    return this.seatsOf(nodeId).flatMap(({ streams }) => [...streams]);
  }

  /** The clients of one node; those that cannot be told apart count as one. */
  seatsOf(nodeId: string): readonly Pick<Seat, "base" | "layer" | "streams">[] {
    return [...this.#nodes.get(nodeId)?.seats.values() ?? []];
  }

  /** Every node that has a configuration or a stream, with its streams. */
  *nodes(): Iterable<
    { readonly id: string; readonly snapshot: Snapshot | undefined; readonly streams: readonly Stream[] }
  > {
    for (const [id, node] of this.#nodes) yield { id, snapshot: snapshotOfNode(node), streams: this.streamsOf(id) };
  }

  /** Whether nothing is answered at the moment. */
  get paused(): boolean {
    return this.#pause !== undefined;
  }

  /**
   * Decides nothing until {@linkcode Hub.resume}: what is asked waits, and so does what is set, because what is known here may
   * be older than what clients have got elsewhere. Whoever comes anew waits three seconds at most and is sent away then.
   */
  pause(): void {
    if (this.#pause || this.#ended) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const pause: Pause = {
      over: promise,
      end: resolve,
      changed: new Set(),
      long: false,
      cancelPatience: this.#clock.after(PATIENCE_MS, () => {
        pause.long = true;
        for (const stream of [...this.#unidentified]) stream.end(CATCHING_UP);
      }),
    };
    this.#pause = pause;
  }

  /** Goes on: first what was set meanwhile goes out, then what was asked is answered. */
  resume(): void {
    const pause = this.#pause;
    if (!pause) return;
    this.#pause = undefined;
    pause.cancelPatience();
    for (const seat of pause.changed) {
      seat.cancelFlush?.();
      this.#flush(seat);
    }
    pause.end();
  }

  /** Ends every stream and refuses new ones. */
  close(status: CallStatus = SHUTTING_DOWN): void {
    this.#ended = true;
    this.#pause?.cancelPatience();
    this.#pause?.end();
    this.#pause = undefined;
    for (const seat of new Set(this.#seats.values())) {
      seat.cancelFlush?.();
      for (const stream of [...seat.streams]) stream.end(status);
    }
    for (const stream of [...this.#unidentified]) stream.end(status);
    this.#unidentified.clear();
  }

  #node(id: string): Node {
    let node = this.#nodes.get(id);
    if (!node) this.#nodes.set(id, node = { seats: new Map(), base: undefined });
    return node;
  }

  #seat(id: string, layerKeys: readonly string[]): Seat {
    const { seats, base } = this.#node(id);
    const key = JSON.stringify(layerKeys);
    let seat = seats.get(key);
    if (seat) return seat;
    seats.set(key, seat = new Seat(layerKeys, { base, layer: this.#layers.find(layerKeys) }));
    this.#layers.enter(seat);
    return seat;
  }

  #dropSeat(id: string, seat: Seat): void {
    seat.cancelFlush?.();
    this.#pause?.changed.delete(seat);
    this.#layers.leave(seat);
    const node = this.#node(id);
    node.seats.delete(JSON.stringify(seat.layerKeys));
    this.#dropIfUnused(id, node);
  }

  #relayer(key: string): void {
    for (const seat of this.#layers.seatsAt(key)) {
      if (seat.setLayer(this.#layers.find(seat.layerKeys))) this.#schedule(seat);
    }
  }

  #dropIfUnused(id: string, node: Node): void {
    if (node.seats.size === 0 && node.base === undefined) this.#nodes.delete(id);
  }

  #schedule(seat: Seat): void {
    if (seat.cancelFlush) return;
    const wait = seat.offeredAt + this.#coalesceMs - this.#clock.now();
    if (wait <= 0) return this.#flush(seat);
    seat.cancelFlush = this.#clock.after(wait, () => this.#flush(seat));
  }

  #flush(seat: Seat): void {
    seat.cancelFlush = undefined;
    if (this.#pause) return void this.#pause.changed.add(seat);
    seat.offeredAt = this.#clock.now();
    if (!seat.offer) return;
    for (const stream of [...seat.streams]) stream.offer(seat.offer);
  }
}

function snapshotOfNode({ base, seats }: Node): Snapshot | undefined {
  if (base) return base.snapshot;
  for (const { offer } of seats.values()) if (offer) return offer.snapshot;
  return undefined;
}
