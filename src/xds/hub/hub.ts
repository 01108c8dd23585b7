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

const SHUTTING_DOWN: CallStatus = { code: 14, details: "The server is shutting down" };

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

  constructor(options: HubOptions = {}) {
    this.#clock = options.clock ?? systemClock;
    this.#coalesceMs = options.coalesceMs ?? 50;
    this.#context = {
      clock: this.#clock,
      policy: { ...DEFAULT_POLICY, ...options.policy },
      observer: options.observer ?? {},
      authorize: options.authorize ?? (() => undefined),
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

  /** Ends every stream and refuses new ones. */
  close(status: CallStatus = SHUTTING_DOWN): void {
    this.#ended = true;
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
