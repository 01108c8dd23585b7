import { type Clock, systemClock } from "../../base/mod.ts";
import { type Snapshot, snapshotOf } from "../../snapshot/mod.ts";
import type { CallStatus, StreamHandler, XdsCall, XdsHandler } from "../call.ts";
import { DEFAULT_POLICY, type Offer, type SessionPolicy } from "../session/mod.ts";
import type { NodeInfo } from "../wire/mod.ts";
import type { XdsObserver } from "./observer.ts";
import { Stream, type StreamContext } from "./stream.ts";

/** Options of {@linkcode Hub}. */
export interface HubOptions {
  readonly policy?: Partial<SessionPolicy>;
  readonly clock?: Clock;
  readonly observer?: XdsObserver;
  /** Says why a peer may not be a node; by default every peer may be every node. */
  readonly authorize?: (node: NodeInfo, stream: XdsCall) => string | undefined;
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
  readonly streams: Set<Stream>;
  offer: Offer | undefined;
  serial: number;
  offeredAt: number;
  cancelFlush: (() => void) | undefined;
}

/** A time in which nothing is answered. */
interface Pause {
  /** Resolves when it is over. */
  readonly over: Promise<void>;
  end(): void;
  /** Nodes that got another configuration meanwhile. */
  readonly changed: Set<Node>;
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
      knowsType: (typeUrl) => [...this.#nodes.values()].some((node) => node.offer?.snapshot.types.has(typeUrl)),
      join: (stream, info) => {
        this.#unidentified.delete(stream);
        const node = this.#node(info.id);
        node.streams.add(stream);
        return node.offer;
      },
      leave: (stream) => {
        const id = stream.info?.node.id;
        const node = id === undefined ? undefined : this.#nodes.get(id);
        if (!node || id === undefined) return;
        node.streams.delete(stream);
        this.#dropIfUnused(id, node);
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
    const retryRefused = options.retryRefused ?? false;
    const same = node.offer && sameSnapshot(node.offer.snapshot, snapshot);
    if (same && node.offer?.retryRefused === retryRefused) return;
    const serial = same ? node.serial : ++node.serial;
    node.offer = { serial, snapshot, retryRefused };
    this.#schedule(node);
  }

  /**
   * Takes a node's configuration away. `keep`: connected clients keep what they have, new ones wait. `empty`: they are told
   * that nothing is left, in the usual order.
   */
  remove(nodeId: string, how: "keep" | "empty"): void {
    const node = this.#nodes.get(nodeId);
    if (!node) return;
    if (how === "empty") return this.set(nodeId, snapshotOf([]));
    node.offer = undefined;
    node.cancelFlush?.();
    node.cancelFlush = undefined;
    this.#dropIfUnused(nodeId, node);
  }

  /** The configuration of a node as it is offered now. */
  snapshot(nodeId: string): Snapshot | undefined {
    return this.#nodes.get(nodeId)?.offer?.snapshot;
  }

  /** The streams of one node. */
  streamsOf(nodeId: string): readonly Stream[] {
    return [...this.#nodes.get(nodeId)?.streams ?? []];
  }

  /** Every node that has a configuration or a stream, with its streams. */
  *nodes(): Iterable<
    { readonly id: string; readonly snapshot: Snapshot | undefined; readonly streams: readonly Stream[] }
  > {
    for (const [id, node] of this.#nodes) yield { id, snapshot: node.offer?.snapshot, streams: [...node.streams] };
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
    for (const node of pause.changed) {
      node.cancelFlush?.();
      this.#flush(node);
    }
    pause.end();
  }

  /** Ends every stream and refuses new ones. */
  close(status: CallStatus = SHUTTING_DOWN): void {
    this.#ended = true;
    this.#pause?.cancelPatience();
    this.#pause?.end();
    this.#pause = undefined;
    for (const node of [...this.#nodes.values()]) {
      node.cancelFlush?.();
      for (const stream of [...node.streams]) stream.end(status);
    }
    for (const stream of [...this.#unidentified]) stream.end(status);
    this.#unidentified.clear();
  }

  #node(id: string): Node {
    let node = this.#nodes.get(id);
    if (!node) {
      node = { streams: new Set(), offer: undefined, serial: 0, offeredAt: -Infinity, cancelFlush: undefined };
      this.#nodes.set(id, node);
    }
    return node;
  }

  #dropIfUnused(id: string, node: Node): void {
    if (node.streams.size === 0 && node.offer === undefined) this.#nodes.delete(id);
  }

  #schedule(node: Node): void {
    if (node.cancelFlush) return;
    const wait = node.offeredAt + this.#coalesceMs - this.#clock.now();
    if (wait <= 0) return this.#flush(node);
    node.cancelFlush = this.#clock.after(wait, () => this.#flush(node));
  }

  #flush(node: Node): void {
    node.cancelFlush = undefined;
    if (this.#pause) return void this.#pause.changed.add(node);
    node.offeredAt = this.#clock.now();
    if (!node.offer) return;
    for (const stream of [...node.streams]) stream.offer(node.offer);
  }
}

function sameSnapshot(a: Snapshot, b: Snapshot): boolean {
  if (a === b) return true;
  if (a.revision !== b.revision || a.types.size !== b.types.size) return false;
  for (const [typeUrl, type] of a.types) if (b.types.get(typeUrl) !== type) return false;
  return true;
}
