/**
 * A rate limit service of one rule: so many requests of domain "kuard" with descriptor "slowpath" pass, and no more. A program of its
 * own, because grpc-js leaves timers behind that a test would be blamed for.
 * @module
 */
import { Buffer } from "node:buffer";
import { Server, ServerCredentials, status } from "@grpc/grpc-js";

const OK = Buffer.from([0x08, 1]); // RateLimitResponse { overall_code: OK }
const OVER_LIMIT = Buffer.from([0x08, 2]);

if (import.meta.main) {
  let left = Number(Deno.args[0]);
  const pass = (bytes: Buffer) => bytes;
  const server = new Server();
  server.addService({
    shouldRateLimit: {
      path: "/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit",
      requestStream: false,
      responseStream: false,
      requestSerialize: pass,
      requestDeserialize: pass,
      responseSerialize: pass,
      responseDeserialize: pass,
    },
  }, {
    shouldRateLimit: (call: { request: Buffer }, answer: (error: object | null, value?: Buffer) => void) => {
      const asked = call.request.toString("latin1");
      if (!asked.includes("kuard") || !asked.includes("generic_key") || !asked.includes("slowpath")) {
        answer({ code: status.INVALID_ARGUMENT, message: "no rule for this" });
      } else answer(null, left-- > 0 ? OK : OVER_LIMIT);
    },
  });
  server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, port) => {
    if (error) throw error;
    console.log(`port ${port}`);
  });
}
