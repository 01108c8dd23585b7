/**
 * Keeps a gRPC client in a test from ending the whole test run: sessions of clients are closed a moment later, as those of the server
 * are, and for the same reason. Imported for that effect.
 * @module
 */
import http2 from "node:http2";
import { closeLater } from "../../src/xds/server/session_guard.ts";

const connect = http2.connect;

http2.connect = ((...args: Parameters<typeof connect>) => {
  const session = connect(...args);
  closeLater(session);
  return session;
}) as typeof connect;
