import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { Socket } from "node:net";
import { type Address, formatAddress } from "../../bootstrap/mod.ts";
import { ChanceryError, errorMessage } from "../../base/mod.ts";
import type { ServerMaterial } from "../../xds/server/tls/mod.ts";
import type { WebhookAnswer, WebhookRequest } from "./admission.ts";
import { Connections } from "./connections.ts";
import { BodyBytes } from "./read_body.ts";

/** What strangers may cost. Times in milliseconds. */
export interface HttpsLimits {
  /** Connections at a time; for a further one the quietest is closed. */
  readonly connections: number;
  /** How long a handshake, the headers, and a whole request may each take. */
  readonly handshakeMs: number;
  readonly headersMs: number;
  readonly requestMs: number;
  /** How long a connection may wait for its next request: longer than an API server keeps one, so that it is the one to close. */
  readonly idleMs: number;
}

const DEFAULT_LIMITS: HttpsLimits = {
  connections: 2_048,
  handshakeMs: 10_000,
  headersMs: 10_000,
  requestMs: 30_000,
  idleMs: 120_000,
};

/** Options of {@linkcode serveHttps}. */
export interface HttpsServerOptions {
  /** Empty for all addresses. */
  readonly host: string;
  /** 0 for any that is free. */
  readonly port: number;
  readonly tls: ServerMaterial;
  answer(request: WebhookRequest): Promise<WebhookAnswer>;
  readonly limits?: Partial<HttpsLimits>;
}

/** A running HTTPS server. */
export interface RunningHttps {
  /** With the port that was really taken. */
  readonly address: string;
  /** New handshakes take the new certificate; connections that are open stay so. The material must have been checked. */
  updateTls(material: ServerMaterial): void;
  /** Whoever has an answer from now on is told to connect anew. */
  drain(): void;
  /** Stops accepting, waits for what is being answered up to the deadline, and closes everything. */
  close(options: { deadlineMs: number }): Promise<void>;
}

/** Serves HTTPS. Throws `unavailable` when the address is taken. */
export function serveHttps({ host, port, tls, answer, limits }: HttpsServerOptions): Promise<RunningHttps> {
  const { connections, handshakeMs, headersMs, requestMs, idleMs } = { ...DEFAULT_LIMITS, ...limits };
  const bodies = new BodyBytes();
  const open = new Set<ServerResponse>();
  const sockets = new Connections(connections);
  let draining = false;
  const server = createServer({
    ...contextOf(tls),
    minVersion: "TLSv1.2",
    handshakeTimeout: handshakeMs,
    headersTimeout: headersMs,
    requestTimeout: requestMs,
    keepAliveTimeout: idleMs,
    connectionsCheckingInterval: 1_000,
    maxHeaderSize: 16_384,
  }, (request, response) => {
    const { remoteAddress, remotePort } = request.socket; // gone once it is closed
    const peer = { remoteAddress, remotePort };
    sockets.touch(peer);
    open.add(response);
    response.once("close", () => {
      open.delete(response);
      sockets.touch(peer);
    });
    if (draining) response.setHeader("connection", "close");
    const mute = () => sockets.mute(peer);
    void respond({ request, response, bodies, answer, mute });
  });
  server.on("connection", (socket: Socket) => sockets.add(socket));
  server.on("tlsClientError", (_error: Error, socket: Socket) => void socket.destroy());
  server.on("clientError", (_error: Error, socket: Socket) => void socket.destroy());
  return new Promise((resolve, reject) => {
    server.once(
      "error",
      (error: Error & { code?: string }) => reject(cannotListen({ kind: "tcp", host, port }, error)),
    );
    server.listen({ port, ...(host === "" ? {} : { host }) }, () => {
      server.on("error", () => {}); // of one accept: no file descriptors left, say
      const address = server.address();
      const taken = typeof address === "object" && address ? address.port : port;
      resolve({
        address: formatAddress({ kind: "tcp", host, port: taken }),
        updateTls: (material) => server.setSecureContext(contextOf(material)),
        drain: () => void (draining = true),
        close: ({ deadlineMs }) => {
          draining = true;
          return closed(server, { open, deadlineMs });
        },
      });
    });
  });
}

async function respond({ request, response, bodies, answer, mute }: {
  request: IncomingMessage;
  response: ServerResponse;
  bodies: BodyBytes;
  answer: HttpsServerOptions["answer"];
  /** Takes in nothing more of the connection. */
  mute: () => void;
}): Promise<void> {
  const url = urlOf(request.url);
  if (!url) return void response.writeHead(400).end();
  const { status, headers, body } = await answer({
    method: request.method ?? "",
    url,
    contentType: request.headers["content-type"],
    body: (signal) => bodies.read(request, signal),
  });
  if (response.destroyed) return;
  const bytes = new TextEncoder().encode(body);
  if (!request.complete) {
    mute(); // nobody wants the rest
    response.setHeader("connection", "close");
  }
  response.writeHead(status, { ...headers, "content-length": bytes.length }).end(bytes);
}

function urlOf(text: string | undefined): URL | undefined {
  const url = `https://localhost${text?.startsWith("/") ? text : "/"}`;
  return URL.canParse(url) ? new URL(url) : undefined;
}

function contextOf({ certificate, privateKey }: ServerMaterial) {
  return { cert: certificate, key: privateKey };
}

function cannotListen(bind: Address, error: Error & { code?: string }): ChanceryError {
  const why = error.code === "EADDRINUSE" ? "another program listens there" : errorMessage(error);
  return new ChanceryError("unavailable", `Cannot serve the webhook on "${formatAddress(bind)}": ${why}`, {
    cause: error,
  });
}

async function closed(
  server: ReturnType<typeof createServer>,
  { open, deadlineMs }: { open: ReadonlySet<ServerResponse>; deadlineMs: number },
): Promise<void> {
  const ended = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const patience = AbortSignal.timeout(deadlineMs);
  const answered = Promise.all([...open].map((response) => new Promise((resolve) => response.once("close", resolve))));
  await Promise.race([
    answered,
    new Promise((resolve) => patience.addEventListener("abort", resolve, { once: true })),
  ]);
  server.closeAllConnections();
  await ended;
}
