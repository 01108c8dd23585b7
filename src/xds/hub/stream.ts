import { ChanceryError, type Clock, errorMessage } from "../../base/mod.ts";
import { resourceTypeOf } from "../../envoy/mod.ts";
import type { CallStatus, StreamHandler, XdsCall } from "../call.ts";
import {
  newSession,
  type Offer,
  type Send,
  type SessionEvent,
  type SessionPolicy,
  type SessionState,
  step,
  type XdsRequest,
} from "../session/mod.ts";
import { decodeRequest, type NodeInfo, nonceTail, responseBody } from "../wire/mod.ts";
import { type ClientVerdict, clientVerdict } from "./client_report.ts";
import type { StreamInfo, XdsObserver } from "./observer.ts";

const INVALID_ARGUMENT = 3, PERMISSION_DENIED = 7, INTERNAL = 13;
/** More unsent responses than this, and the stream is not read until they have left: a client cannot make the queue grow. */
const MAX_QUEUED = 16;

/** What a stream needs from the hub around it. */
export interface StreamContext {
  readonly clock: Clock;
  readonly policy: SessionPolicy;
  readonly observer: XdsObserver;
  /** While nothing is to be decided, when that ends. */
  pause(): Promise<void> | undefined;
  /** The reason why this peer may not be this node; `undefined` when it may. */
  authorize(node: NodeInfo, stream: XdsCall): string | undefined;
  /** Whether a type outside Envoy's table may be asked for. */
  knowsType(typeUrl: string): boolean;
  /** The stream has said who it is: enters it, and gives what that node gets at the moment. */
  join(stream: Stream, node: NodeInfo, call: XdsCall): Offer | undefined;
  leave(stream: Stream): void;
}

/** One stream: keeps its session, writes what the session decides, one response at a time. */
export class Stream implements StreamHandler {
  readonly #context: StreamContext;
  readonly #call: XdsCall;
  readonly openedAt: number;
  #session: SessionState;
  /** What the client made of its revision, as of the last step. */
  #judged: ClientVerdict = "unsent";
  #info: StreamInfo | undefined;
  #queue: Send[] = [];
  #writing = false;
  #closed = false;
  #cancelTimer: (() => void) | undefined;
  #postponed: Offer | undefined;
  #resumeReading: (() => void) | undefined;

  constructor(call: XdsCall, context: StreamContext) {
    this.#call = call;
    this.#context = context;
    this.#session = newSession(call.protocol, context.policy);
    this.openedAt = context.clock.now();
  }

  /** Who the stream is; `undefined` until its first request. */
  get info(): StreamInfo | undefined {
    return this.#info;
  }

  get session(): SessionState {
    return this.#session;
  }

  request(bytes: Uint8Array): void | Promise<void> {
    if (this.#closed) return;
    const pause = this.#context.pause();
    if (pause) return pause.then(() => this.request(bytes));
    try {
      const { request, node } = decodeRequest(this.#call.protocol, bytes);
      this.#identify(node);
      const typed = this.#typed(request);
      if (!this.#session.types.has(typed.typeUrl)) this.#context.observer.requested?.(this.#info!, typed.typeUrl);
      this.#step({ kind: "request", request: typed });
    } catch (error) {
      this.#fail(error);
      return;
    }
    if (this.#queue.length < MAX_QUEUED) return;
    return new Promise((resume) => this.#resumeReading = resume);
  }

  /** A newer configuration. While earlier responses have not left, only the newest one is remembered. */
  offer(offer: Offer): void {
    if (this.#closed) return;
    if (this.#queue.length > 0) this.#postponed = offer;
    else this.#step({ kind: "offer", offer });
  }

  /** Ends the stream from this side. */
  end(status: CallStatus): void {
    if (this.#closed) return;
    this.closed();
    this.#call.end(status);
  }

  closed(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#cancelTimer?.();
    this.#queue = [];
    this.#resumeReading?.();
    if (!this.#info) return;
    this.#context.leave(this);
    this.#context.observer.closed?.(this.#info);
  }

  /** The node comes with the first request; a later one may repeat it but not change it. */
  #identify(node: NodeInfo | undefined): void {
    if (this.#info) {
      if (node && node.id !== "" && node.id !== this.#info.node.id) {
        throw new ChanceryError(
          "invalid-input",
          `The node id changed from "${this.#info.node.id}" to "${node.id}" within a stream`,
        );
      }
      return;
    }
    if (!node || node.id === "") throw new ChanceryError("invalid-input", "The first request must carry node.id");
    const refusal = this.#context.authorize(node, this.#call);
    if (refusal !== undefined) throw new ChanceryError("forbidden", refusal);
    this.#info = { id: this.#call.id, protocol: this.#call.protocol, node, peer: this.#call.peer };
    const offer = this.#context.join(this, node, this.#call);
    this.#context.observer.opened?.(this.#info);
    if (offer) this.#step({ kind: "offer", offer });
  }

  #typed(request: XdsRequest): XdsRequest {
    const only = this.#call.typeUrl;
    const typeUrl = request.typeUrl === "" && only !== undefined ? only : request.typeUrl;
    if (only !== undefined && typeUrl !== only) {
      throw new ChanceryError("invalid-input", `This service serves "${only}", not "${typeUrl}"`);
    }
    if (!resourceTypeOf(typeUrl) && !this.#context.knowsType(typeUrl)) {
      throw new ChanceryError("invalid-input", `Unknown resource type "${typeUrl.slice(0, 200)}"`);
    }
    return typeUrl === request.typeUrl ? request : { ...request, typeUrl };
  }

  #step(event: SessionEvent): void {
    const { clock, observer } = this.#context;
    const now = clock.now();
    const before = this.#session;
    const { state, sends, wakeAt, verdict, failure } = step(before, event, now);
    this.#session = state;
    if (verdict) observer.verdict?.(this.#info!, verdict); // only an identified stream steps
    if (failure) {
      observer.refused?.(this.#call.peer, failure.details);
      return this.end(failure);
    }
    this.#cancelTimer?.();
    this.#cancelTimer = wakeAt === undefined ? undefined : clock.after(Math.max(0, wakeAt - now), () => this.#tick());
    this.#queue.push(...sends);
    const judged = clientVerdict(state);
    if (judged !== this.#judged || state.offer !== before.offer) observer.progressed?.(this.#info!);
    this.#judged = judged;
    if (!this.#writing && this.#queue.length > 0) void this.#write();
  }

  #tick(): void {
    const pause = this.#context.pause();
    if (pause) void pause.then(() => this.#tick());
    else if (!this.#closed) this.#step({ kind: "tick" });
  }

  async #write(): Promise<void> {
    this.#writing = true;
    try {
      while (!this.#closed && this.#queue.length > 0) {
        const send = this.#queue[0]!; // the length was just checked
        const body = responseBody(send);
        const tail = nonceTail(send.nonce);
        await this.#call.write(body, tail);
        this.#queue.shift();
        if (!this.#closed) {
          const { typeUrl, version, nonce } = send;
          this.#context.observer.sent?.(this.#info!, { typeUrl, version, nonce, bytes: body.length + tail.length });
        }
        this.#drained();
      }
    } catch (error) {
      this.#fail(error);
    } finally {
      this.#writing = false;
    }
  }

  /** Room again: read on, and take the newest configuration that came meanwhile. */
  #drained(): void {
    if (this.#queue.length < MAX_QUEUED) {
      this.#resumeReading?.();
      this.#resumeReading = undefined;
    }
    const offer = this.#postponed;
    if (this.#queue.length > 0 || !offer || this.#closed) return;
    this.#postponed = undefined;
    this.#step({ kind: "offer", offer });
  }

  #fail(error: unknown): void {
    if (this.#closed) return;
    const code = error instanceof ChanceryError
      ? error.code === "forbidden" ? PERMISSION_DENIED : INVALID_ARGUMENT
      : INTERNAL;
    const details = errorMessage(error);
    this.#context.observer.refused?.(this.#call.peer, details);
    this.end({ code, details });
  }
}
