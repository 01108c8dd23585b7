import { type Clock, errorMessage } from "../../../base/mod.ts";
import type { Logger } from "../../../telemetry/mod.ts";
import { LoaderFailure } from "../failure.ts";
import { lines } from "./lines.ts";
import { type Transport, type TransportResponse, verifiedTransport } from "./transport.ts";

/** Options of {@linkcode ApiServer}. */
export interface ApiServerOptions {
  /** `https://kubernetes` */
  readonly server: string;
  readonly tokenFile: string;
  readonly caFile: string;
  /** Whether a certificate that cannot be verified is taken. */
  readonly insecure: boolean;
  readonly clock: Clock;
  readonly log: Logger;
}

/** How long an object may take, and a watch until it begins. */
const ANSWER_MS = 10_000;
/** Most bytes of one object: the API server itself takes 3 MB. */
const MAX_OBJECT = 16 * 1024 * 1024;

/** The API server. Token and CA are read again for each request, so both may be replaced while the loader runs. */
export class ApiServer implements Disposable {
  readonly #options: ApiServerOptions;
  #transport: { readonly of: string; readonly open: Transport } | undefined;
  #unverified: Transport | undefined;

  constructor(options: ApiServerOptions) {
    this.#options = options;
  }

  /**
   * One object or list.
   * @throws {LoaderFailure} that says whether it is missing, forbidden, or not to be had
   */
  async get(path: string, signal: AbortSignal): Promise<unknown> {
    using late = new Late(signal, this.#options.clock);
    const { body } = await this.#ask(path, late.signal);
    let text = "";
    try {
      for await (const line of lines(body, MAX_OBJECT)) text += `${line}\n`;
      return JSON.parse(text);
    } catch (cause) {
      signal.throwIfAborted();
      throw this.#lost(path, cause);
    }
  }

  /** Events of a watch, one JSON value each, until the server or the signal ends it. @throws {LoaderFailure} */
  async *watch(path: string, signal: AbortSignal): AsyncGenerator<unknown> {
    using late = new Late(signal, this.#options.clock);
    const { body } = await this.#ask(path, late.signal);
    late.inTime();
    try {
      for await (const line of lines(body, MAX_OBJECT)) if (line !== "") yield JSON.parse(line);
    } catch (cause) {
      signal.throwIfAborted();
      throw this.#lost(path, cause);
    }
  }

  [Symbol.dispose](): void {
    this.#transport?.open[Symbol.dispose]();
    this.#unverified?.[Symbol.dispose]();
    this.#transport = this.#unverified = undefined;
  }

  async #ask(path: string, signal: AbortSignal): Promise<TransportResponse> {
    const { server, tokenFile } = this.#options;
    const token = (await readIfThere(tokenFile)).trim();
    const headers = { accept: "application/json", ...(token === "" ? {} : { authorization: `Bearer ${token}` }) };
    let response: TransportResponse;
    try {
      response = await this.#send(`${server.replace(/\/+$/, "")}${path}`, { headers, signal });
    } catch (cause) {
      if (signal.aborted && !isTimeout(signal.reason)) throw signal.reason;
      throw this.#lost(path, cause);
    }
    if (response.status === 200) return response;
    let said = "";
    try {
      for await (const line of lines(response.body, MAX_OBJECT)) said += line;
    } catch {
      // The status says enough.
    }
    throw refusal(path, response, said);
  }

  async #send(url: string, request: { headers: Readonly<Record<string, string>>; signal: AbortSignal }) {
    if (this.#unverified) return await this.#unverified.get(url, request);
    const transport = await this.#verified();
    try {
      return await transport.get(url, request);
    } catch (thrown) {
      if (!this.#options.insecure || !/certificate|UnknownIssuer/i.test(allMessages(thrown))) throw thrown;
      this.#options.log.warn("The API server's certificate is not verified, and --insecure says to go on without", {
        reason: errorMessage(thrown),
      });
      // The path as in load_check.ts.
      const { unverifiedTransport } = await import(
        "./unverified_transport.ts" as string
      ) as typeof import("./unverified_transport.ts");
      this.#unverified ??= unverifiedTransport();
      return await this.#unverified.get(url, request);
    }
  }

  async #verified(): Promise<Transport> {
    const ca = await readIfThere(this.#options.caFile);
    if (this.#transport?.of !== ca) {
      const before = this.#transport?.open;
      this.#transport = { of: ca, open: verifiedTransport(ca === "" ? [] : [ca]) };
      before?.[Symbol.dispose]();
    }
    return this.#transport.open;
  }

  /** A connection that broke is not used again: it may be one that takes bytes and never answers. */
  #lost(path: string, cause: unknown): LoaderFailure {
    this.#transport?.open[Symbol.dispose]();
    this.#transport = undefined;
    const why = allMessages(cause);
    return new LoaderFailure("unreachable", `Cannot ask ${this.#options.server} for ${path}: ${why}`, { cause });
  }
}

/** A deadline for an answer, or for the beginning of one that may go on for ever. */
class Late implements Disposable {
  readonly #stop = new AbortController();
  readonly signal: AbortSignal;
  /** It has begun. */
  readonly inTime: () => void;

  constructor(signal: AbortSignal, clock: Clock) {
    this.signal = AbortSignal.any([signal, this.#stop.signal]);
    const late = () => this.#stop.abort(new DOMException("No answer in time", "TimeoutError"));
    this.inTime = clock.after(ANSWER_MS, late);
  }

  [Symbol.dispose](): void {
    this.inTime();
    this.#stop.abort();
  }
}

function refusal(path: string, { status, retryAfter }: TransportResponse, said: string): LoaderFailure {
  const message = messageOf(said);
  const why = `${status}${message === "" ? "" : ` ${JSON.stringify(message)}`}`;
  if (status === 404) return new LoaderFailure("missing", `Cannot find ${path}: ${why}`);
  if (status === 401 || status === 403) return new LoaderFailure("forbidden", `Cannot read ${path}: ${why}`);
  const seconds = Number(retryAfter ?? NaN);
  return new LoaderFailure("unreachable", `Cannot read ${path}: the API server answers ${why}`, {
    retryAfterMs: Number.isFinite(seconds) ? Math.min(seconds, 300) * 1000 : undefined,
  });
}

/** The words of a Status; never a whole body of something that is none. */
function messageOf(body: string): string {
  try {
    const { message } = JSON.parse(body) as { message?: unknown }; // a Status
    return typeof message === "string" ? message.slice(0, 500) : "";
  } catch {
    return "";
  }
}

async function readIfThere(path: string): Promise<string> {
  try {
    return await Deno.readTextFile(path);
  } catch (cause) {
    if (cause instanceof Deno.errors.NotFound) return "";
    throw new LoaderFailure("unreachable", `Cannot read ${JSON.stringify(path)}: ${errorMessage(cause)}`, { cause });
  }
}

function isTimeout(reason: unknown): boolean {
  return reason instanceof DOMException && reason.name === "TimeoutError";
}

function allMessages(thrown: unknown): string {
  const cause = thrown instanceof Error && thrown.cause !== undefined ? `: ${allMessages(thrown.cause)}` : "";
  return `${errorMessage(thrown)}${cause}`;
}
