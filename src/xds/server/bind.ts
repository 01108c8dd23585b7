import { createServer, type ListenOptions, type Server, type Socket } from "node:net";
import { ChanceryError, errorMessage } from "../../base/mod.ts";
import { prepareUnixSocket } from "./unix_socket.ts";

/** Where to listen; port 0 takes a free one, an empty host stands for all addresses. */
export type Bind = { readonly host: string; readonly port: number } | { readonly unix: string };

/** An open listening socket. */
export interface Listener {
  /** The port, or 0 on a Unix socket. */
  readonly port: number;
  /** Stops accepting. Connections that are open stay open. */
  close(): void;
}

/** `127.0.0.1:18000`, `[::1]:18000` or `unix:/run/chancery.sock`. */
export function formatBind(bind: Bind): string {
  if ("unix" in bind) return `unix:${bind.unix}`;
  return bind.host.includes(":") ? `[${bind.host}]:${bind.port}` : `${bind.host}:${bind.port}`;
}

/**
 * Listens and hands over each new connection.
 * @throws {ChanceryError} `conflict` when somebody else listens there, `invalid-input` when it is no place to listen on
 */
export async function listen(bind: Bind, onConnection: (socket: Socket) => void): Promise<Listener> {
  const server = createServer(onConnection);
  if (!("unix" in bind)) {
    const { host, port } = bind;
    await listening(server, { port, ...(host !== "" && { host }) }, formatBind(bind));
    const address = server.address();
    return {
      port: typeof address === "object" && address ? address.port : bind.port,
      close: () => void server.close(),
    };
  }
  const socket = await prepareUnixSocket(bind.unix);
  await listening(server, { path: socket.temporaryPath }, formatBind(bind));
  await socket.publish();
  return {
    port: 0,
    close: () => {
      server.close();
      socket.remove();
    },
  };
}

function listening(server: Server, options: ListenOptions, where: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: Error & { code?: string }) => reject(listenError(error, where)));
    server.listen(options, () => {
      // From here on an error is of one accept (no more file descriptors): the listener goes on.
      server.on("error", () => {});
      resolve();
    });
  });
}

function listenError(error: Error & { code?: string }, where: string): ChanceryError {
  const start = `Cannot listen on "${where}"`;
  switch (error.code) {
    case "EADDRINUSE":
      return new ChanceryError("conflict", `${start}: another program listens there`, {
        cause: error,
        retryable: false,
      });
    case "EACCES":
      return new ChanceryError("forbidden", `${start}: permission denied`, { cause: error });
    default:
      return new ChanceryError("invalid-input", `${start}: ${errorMessage(error)}`, { cause: error });
  }
}
