import { resourceTypeOf } from "../../envoy/mod.ts";
import {
  clientStatuses,
  Hub,
  hubStatus,
  type NodeInfo,
  type NodeStatus,
  type SessionPolicy,
  type StreamInfo,
  type Verdict,
} from "../../xds/mod.ts";
import {
  type Bind,
  memoryTrimmer,
  type RunningXds,
  serveXds,
  type TlsMaterial,
  type XdsLimits,
  type XdsLog,
} from "../../xds/server/mod.ts";
import type { Finding } from "../../base/mod.ts";
import { encodeSnapshot, type SnapshotInput } from "./resources.ts";

/** What a client said of a response. */
export interface Acknowledgement {
  readonly nodeId: string;
  readonly node: NodeInfo;
  readonly streamId: string;
  /** `clusters`, `listeners`, …, or the type URL of a type outside Envoy's table. */
  readonly type: string;
  /** The version of the response: the one that was given for its type, or a hash. */
  readonly version: string;
}

/** Options of {@linkcode XdsServer.start}. */
export interface XdsServerOptions {
  /** Where to listen: `{ host, port }` (port 0 takes a free one) or `{ unix: path }`. */
  readonly bind: Bind;
  /** Mutual TLS; plain text without it. */
  readonly tls?: TlsMaterial;
  /** A response was applied. */
  readonly onAck?: (ack: Acknowledgement) => void;
  /** A response was refused, in the client's words. What it named may have been applied in part. */
  readonly onNack?: (nack: Acknowledgement & { readonly message: string }) => void;
  /**
   * Order changes so that no request meets a gap: new clusters first, then listeners, then routes, and what is not needed
   * any more last. By default a snapshot is sent as given.
   */
  readonly makeBeforeBreak?: boolean;
  /** Says why a client may not be a node; by default every client may be every node. */
  readonly authorize?: (
    node: NodeInfo,
    certificate: { readonly names: readonly string[] } | undefined,
  ) => string | undefined;
  /**
   * Collect garbage and give memory back to the system two seconds after a burst (needs `--allow-ffi` for the second); off by
   * default, since it concerns the whole process.
   */
  readonly trimMemory?: boolean;
  readonly policy?: Partial<SessionPolicy>;
  readonly limits?: Partial<XdsLimits>;
  readonly log?: XdsLog;
}

/**
 * An xDS server over snapshots: give it what each node is to have, it leads every connected client there, in
 * state-of-the-world and delta, over ADS and the services of single types.
 */
export class XdsServer {
  readonly #hub: Hub;
  readonly #running: RunningXds;

  private constructor(hub: Hub, running: RunningXds) {
    this.#hub = hub;
    this.#running = running;
  }

  /**
   * Starts to listen.
   * @throws {ChanceryError} when the address is taken or the TLS material cannot be used
   */
  static async start(options: XdsServerOptions): Promise<XdsServer> {
    const { authorize } = options;
    const hub = new Hub({
      policy: { makeBeforeBreak: options.makeBeforeBreak ?? false, ...options.policy },
      observer: { verdict: (stream, verdict) => tell(options, stream, verdict) },
      ...(authorize && { authorize: (node, call) => authorize(node, call.peer.certificate) }),
    });
    const { bind, tls, limits, log, trimMemory } = options;
    const running = await serveXds({
      bind,
      handler: hub,
      csds: { clients: () => clientStatuses(hub) },
      ...(trimMemory && { trimmer: memoryTrimmer() }),
      ...(tls && { tls }),
      ...(limits && { limits }),
      ...(log && { log }),
    });
    return new XdsServer(hub, running);
  }

  /** The port it listens on; 0 on a Unix socket. */
  get port(): number {
    return this.#running.port;
  }

  /** Where it listens, as text. */
  get address(): string {
    return this.#running.address;
  }

  /**
   * Gives a node its configuration; connected clients get what differs, later ones everything.
   * @throws {ChanceryError} `invalid-input` with all findings when a resource is wrong; the node keeps what it had
   */
  setSnapshot(nodeId: string, snapshot: SnapshotInput): void {
    this.#hub.set(nodeId, encodeSnapshot(snapshot, this.#hub.snapshot(nodeId)));
  }

  /** Takes a node's configuration away: its clients keep what they have, or are told that nothing is left. */
  clearSnapshot(nodeId: string, how: "keep" | "empty" = "keep"): void {
    this.#hub.remove(nodeId, how);
  }

  /** Nodes and their streams: what each was sent, has accepted, has refused and waits for. */
  status(): readonly NodeStatus[] {
    return hubStatus(this.#hub);
  }

  /** New certificates for new connections; see `RunningXds.updateTls`. */
  updateTls(material: TlsMaterial): readonly Finding[] {
    return this.#running.updateTls(material);
  }

  /** Ends every stream and stops listening; what is still open after `deadlineMs` (2,000 by default) is cut. */
  async close(options: { readonly deadlineMs?: number } = {}): Promise<void> {
    this.#hub.close();
    await this.#running.close(options);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

function tell(options: XdsServerOptions, stream: StreamInfo, verdict: Verdict): void {
  const ack: Acknowledgement = {
    nodeId: stream.node.id,
    node: stream.node,
    streamId: stream.id,
    type: resourceTypeOf(verdict.typeUrl)?.plural ?? verdict.typeUrl,
    version: verdict.response.version,
  };
  if (verdict.accepted) options.onAck?.(ack);
  else options.onNack?.({ ...ack, message: verdict.message });
}
