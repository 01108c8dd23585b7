/** Who is at the other end of a stream. */
export interface Peer {
  /** `ip:port`, or `unix`. */
  readonly address: string;
  /** The verified client certificate, with mutual TLS only. */
  readonly certificate?: {
    readonly subject: string;
    /** Subject alternative names (DNS, URI), then the common name. */
    readonly names: readonly string[];
    /** Its subject alternative names of kind URI alone: nothing else in it can pass for one of these. */
    readonly uris: readonly string[];
    /** SHA-256, colon-separated hex. */
    readonly fingerprint: string;
  };
}

/** How a stream ends: a gRPC status. */
export interface CallStatus {
  readonly code: number;
  readonly details: string;
}

/** One xDS stream as the hub sees it; whoever moves the bytes implements it. */
export interface XdsCall {
  /** Unique in this process. */
  readonly id: string;
  readonly protocol: "sotw" | "delta";
  /** The only type of a per-type service; `undefined` on ADS. */
  readonly typeUrl: string | undefined;
  readonly peer: Peer;
  /**
   * Sends one gRPC message: `body`, shared by every stream with the same question, then `tail`, of this stream alone.
   * Resolves when the bytes have left or the call has ended. Called one at a time.
   */
  write(body: Uint8Array, tail: Uint8Array): Promise<void>;
  end(status: CallStatus): void;
}

/** What the transport tells about one stream. */
export interface StreamHandler {
  /** One request message. While a returned promise is pending the transport reads nothing more from this stream. */
  request(bytes: Uint8Array): void | Promise<void>;
  /** The stream is over, for whatever reason. Called once. */
  closed(): void;
}

/** Where new streams arrive. */
export interface XdsHandler {
  open(call: XdsCall): StreamHandler;
}
