import { Buffer } from "node:buffer";
import { Server, ServerCredentials, status } from "@grpc/grpc-js";
import { expect } from "expect";
import { grpcHealth } from "./grpc_health.ts";

/** A server that is well for the service "good", ill for "bad", and knows no other. */
async function withServer(test: (address: string) => Promise<void>): Promise<void> {
  const server = new Server();
  const pass = (bytes: Buffer) => bytes;
  const method = {
    requestSerialize: pass,
    requestDeserialize: pass,
    responseSerialize: pass,
    responseDeserialize: pass,
  };
  server.addService({
    check: { path: "/grpc.health.v1.Health/Check", requestStream: false, responseStream: false, ...method },
  }, {
    check: (call: { request: Buffer }, answer: (error: object | null, value?: Buffer) => void) => {
      const name = call.request.subarray(2).toString();
      if (name !== "good" && name !== "bad") return answer({ code: status.NOT_FOUND, message: "unknown" });
      answer(null, Buffer.from([0x08, name === "good" ? 1 : 2]));
    },
  });
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync(
      "127.0.0.1:0",
      ServerCredentials.createInsecure(),
      (error, port) => error ? reject(error) : resolve(port),
    )
  );
  try {
    await test(`127.0.0.1:${port}`);
  } finally {
    server.forceShutdown();
  }
}

Deno.test("grpcHealth() tells a service that serves from one that does not", () =>
  withServer(async (address) => {
    const signal = AbortSignal.timeout(5000);
    expect(await grpcHealth(address, "good", signal)).toBe(undefined);
    expect(await grpcHealth(address, "bad", signal)).toBe("service unhealthy");
    await expect(grpcHealth(address, "other", signal)).rejects.toThrow("NOT_FOUND");
  }));
