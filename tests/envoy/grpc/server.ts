/**
 * A gRPC server that answers `/test.Who/Are` with the name it was started with. A program of its own, because grpc-js leaves
 * timers behind that a test would be blamed for.
 * @module
 */
import { Server, ServerCredentials } from "@grpc/grpc-js";
import { WHO } from "./who.ts";

const [name = ""] = Deno.args;
const server = new Server();
server.addService(WHO, { are: (_call: unknown, reply: (error: null, value: string) => void) => reply(null, name) });
server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, port) => {
  if (error) throw error;
  console.log(`port ${port}`);
});
