import { Buffer } from "node:buffer";
import { Client, credentials } from "@grpc/grpc-js";

/** `SERVING` of `grpc.health.v1.HealthCheckResponse`, as it is on the wire: field 1, value 1. */
const SERVING = [0x08, 0x01];
/** A service name longer than this would need a longer length on the wire. */
const MAX_NAME = 127;

/** Asks a gRPC server for its health. @returns why it is not well, `undefined` when it serves */
export async function grpcHealth(address: string, service: string, signal: AbortSignal): Promise<string | undefined> {
  const client = new Client(address, credentials.createInsecure());
  const name = new TextEncoder().encode(service);
  if (name.length > MAX_NAME) return `the service name has more than ${MAX_NAME} bytes`;
  const question = Buffer.from(name.length === 0 ? [] : [0x0a, name.length, ...name]);
  try {
    const answer = await new Promise<Uint8Array>((resolve, reject) => {
      const call = client.makeUnaryRequest(
        "/grpc.health.v1.Health/Check",
        (value: Buffer) => value,
        (bytes: Buffer) => bytes,
        question,
        (error, value) => error ? reject(error) : resolve(value ?? new Uint8Array()),
      );
      signal.addEventListener("abort", () => call.cancel(), { once: true });
    });
    return SERVING.every((byte, index) => answer[index] === byte) ? undefined : "service unhealthy";
  } finally {
    client.close();
  }
}
