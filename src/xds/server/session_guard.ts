import type { Server } from "@grpc/grpc-js";
import { constants, type Http2Session, type ServerHttp2Stream } from "node:http2";

/**
 * Keeps a peer from ending the process with the frames it sends.
 *
 * Deno 2.9.6 calls into JavaScript while nghttp2 is still at work on the frame; the answer to GOAWAY is to close the session,
 * which frees the memory that nghttp2 goes on with (an assertion fails, or worse; https://github.com/denoland/deno/issues/36788).
 * Every client that says goodbye does that. So a session is closed a moment later, when nghttp2 is done.
 *
 * And grpc-js answers an unknown method without looking whether the stream still exists; where it was reset in the meantime
 * that throws with nobody to catch it.
 *
 * grpc-js keeps its HTTP/2 servers in a field that is typed private.
 *
 * @returns whether the HTTP/2 servers were found
 */
export function guardSessions(server: Server): boolean {
  const found = http2ServersOf(server);
  for (const http2Server of found) {
    http2Server.prependListener("session", closeLater);
    for (const listener of http2Server.listeners("stream")) {
      http2Server.off("stream", listener);
      http2Server.on("stream", (stream, ...rest) => openLiving(stream, () => listener(stream, ...rest)));
    }
  }
  return found.length > 0;
}

/** The part of an HTTP/2 server that is used. */
interface SessionSource {
  prependListener(event: "session", listener: (session: Http2Session) => void): unknown;
  listeners(event: "stream"): StreamListener[];
  off(event: "stream", listener: StreamListener): unknown;
  on(event: "stream", listener: StreamListener): unknown;
}

type StreamListener = (stream: ServerHttp2Stream, ...rest: unknown[]) => void;

function openLiving(stream: ServerHttp2Stream, open: () => void): void {
  if (stream.destroyed) return;
  try {
    open();
  } catch {
    stream.close(constants.NGHTTP2_INTERNAL_ERROR);
  }
}

function http2ServersOf(server: Server): SessionSource[] {
  const servers: unknown = Reflect.get(server, "http2Servers");
  return servers instanceof Map ? [...servers.keys()].filter(isSessionSource) : [];
}

function isSessionSource(value: unknown): value is SessionSource {
  return typeof value === "object" && value !== null && "prependListener" in value;
}

/** Lets a session close only when nghttp2 is done with the frame that it is at work on. */
export function closeLater(session: Http2Session): void {
  const close = session.close.bind(session);
  const destroy = session.destroy.bind(session);
  session.close = (callback) =>
    void setImmediate(() => {
      if (session.destroyed) callback?.();
      else if (!session.closed) close(callback);
      else if (callback) session.once("close", callback);
    });
  session.destroy = (error, code) => void setImmediate(() => destroy(error, code));
}
