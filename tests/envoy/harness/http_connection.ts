/** Where a client connects to. */
export interface HttpTarget {
  /** The loopback when absent. */
  readonly hostname?: string;
  readonly port: number;
  /** HTTPS: the name that the certificate must have, and who may have issued it (PEM). */
  readonly tls?: { readonly serverName: string; readonly caCerts: readonly string[] };
}

/** A whole response. Header names are in lower case. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/** A connection that ended before the response was complete. */
export class ConnectionLost extends Error {
  override readonly name = "ConnectionLost";
  /** Whether not a single byte of the response had come. */
  readonly beforeResponse: boolean;

  constructor(message: string, beforeResponse: boolean, cause?: unknown) {
    super(message, { cause });
    this.beforeResponse = beforeResponse;
  }
}

/**
 * One HTTP/1.1 connection, one request at a time. Written here because what counts is to see exactly which request was lost
 * and when: `fetch` retries and pools behind one's back.
 */
export class HttpConnection implements Disposable {
  /** Whether the server lets the connection be used for another request. */
  reusable = true;
  /** Requests answered so far. */
  answered = 0;
  readonly #connection: Deno.Conn;
  #buffer = new Uint8Array(0);
  #closed = false;

  constructor(connection: Deno.Conn) {
    this.#connection = connection;
  }

  /** Connects, with TLS when the target says so. */
  static async open(target: HttpTarget): Promise<HttpConnection> {
    const connection = await Deno.connect({ hostname: target.hostname ?? "127.0.0.1", port: target.port });
    if (!target.tls) return new HttpConnection(connection);
    try {
      const secure = await Deno.startTls(connection, {
        hostname: target.tls.serverName,
        caCerts: [...target.tls.caCerts],
      });
      try {
        await secure.handshake();
      } catch (error) {
        secure.close();
        throw error;
      }
      return new HttpConnection(secure);
    } catch (error) {
      throw new ConnectionLost(`TLS handshake: ${error instanceof Error ? error.message : error}`, true, error);
    }
  }

  /**
   * Sends a GET request and reads the whole response.
   * @throws {ConnectionLost} when the connection ends before, or after `deadlineMs` without a complete response
   */
  async get(path: string, options: { host: string; close?: boolean; deadlineMs?: number }): Promise<HttpResponse> {
    const { host, close = false, deadlineMs = 5000 } = options;
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      this.close();
    }, deadlineMs);
    let started = false;
    try {
      const head = `GET ${path} HTTP/1.1\r\nhost: ${host}\r\n${close ? "connection: close\r\n" : ""}\r\n`;
      await this.#write(new TextEncoder().encode(head));
      const response = await this.#read(() => started = true);
      if (close || response.headers.get("connection")?.toLowerCase() === "close") this.reusable = false;
      this.answered++;
      return response;
    } catch (error) {
      this.reusable = false;
      if (late) throw new ConnectionLost(`no complete response within ${deadlineMs} ms`, false, error);
      const text = error instanceof Error ? error.message : String(error);
      throw new ConnectionLost(started ? `cut within a response: ${text}` : text, !started, error);
    } finally {
      clearTimeout(timer);
    }
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.reusable = false;
    this.#connection.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  async #write(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length;) at += await this.#connection.write(bytes.subarray(at));
  }

  async #read(onFirstByte: () => void): Promise<HttpResponse> {
    const [statusLine = "", ...lines] = (await this.#until("\r\n\r\n", onFirstByte)).split("\r\n");
    const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(statusLine)?.[1]);
    if (!status) throw new Error(`status line "${statusLine}"`);
    const headers = new Map<string, string>();
    for (const line of lines) {
      const colon = line.indexOf(":");
      if (colon > 0) headers.set(line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim());
    }
    return { status, headers, body: await this.#body(status, headers) };
  }

  async #body(status: number, headers: ReadonlyMap<string, string>): Promise<string> {
    if (status === 204 || status === 304) return "";
    if (headers.get("transfer-encoding")?.toLowerCase() === "chunked") {
      let body = "";
      for (;;) {
        const size = parseInt(await this.#until("\r\n"), 16);
        if (Number.isNaN(size)) throw new Error("damaged chunk");
        body += await this.#exactly(size);
        await this.#until("\r\n");
        if (size === 0) return body;
      }
    }
    const length = headers.get("content-length");
    if (length === undefined) throw new Error("response without a length");
    return await this.#exactly(Number(length));
  }

  /** Text up to the mark, which is consumed. */
  async #until(mark: string, onFirstByte?: () => void): Promise<string> {
    for (;;) {
      const text = new TextDecoder("latin1").decode(this.#buffer);
      if (this.#buffer.length > 0) onFirstByte?.();
      const at = text.indexOf(mark);
      if (at >= 0) {
        this.#buffer = this.#buffer.slice(at + mark.length);
        return text.slice(0, at);
      }
      await this.#more();
    }
  }

  async #exactly(length: number): Promise<string> {
    while (this.#buffer.length < length) await this.#more();
    const text = new TextDecoder().decode(this.#buffer.subarray(0, length));
    this.#buffer = this.#buffer.slice(length);
    return text;
  }

  async #more(): Promise<void> {
    const chunk = new Uint8Array(64 * 1024);
    const count = await this.#connection.read(chunk);
    if (count === null) throw new Error("the server closed the connection");
    const joined = new Uint8Array(this.#buffer.length + count);
    joined.set(this.#buffer);
    joined.set(chunk.subarray(0, count), this.#buffer.length);
    this.#buffer = joined;
  }
}

/** One request over a connection of its own. */
export async function httpGet(
  target: HttpTarget,
  path = "/",
  options: { host?: string; deadlineMs?: number } = {},
): Promise<HttpResponse> {
  using connection = await HttpConnection.open(target);
  return await connection.get(path, {
    host: options.host ?? "test",
    close: true,
    deadlineMs: options.deadlineMs ?? 5000,
  });
}
