/**
 * Keeps a gRPC client in a test from ending the whole test run. Deno 2.9.6 calls into JavaScript while nghttp2 is still at work on
 * a frame; a client closes its session when the server says GOAWAY, which frees the memory that nghttp2 goes on with
 * (https://github.com/denoland/deno/issues/36788). So sessions of clients are closed a moment later, as `session_guard.ts` does
 * for the server's. Imported for that effect.
 * @module
 */
import http2, { type ClientHttp2Session } from "node:http2";

const connect = http2.connect;

http2.connect = ((...args: Parameters<typeof connect>) => closeLater(connect(...args))) as typeof connect;

function closeLater(session: ClientHttp2Session): ClientHttp2Session {
  const close = session.close.bind(session);
  const destroy = session.destroy.bind(session);
  session.close = (callback) =>
    void setImmediate(() => {
      if (session.destroyed) callback?.();
      else if (!session.closed) close(callback);
      else if (callback) session.once("close", callback);
    });
  session.destroy = (error, code) => void setImmediate(() => destroy(error, code));
  return session;
}
