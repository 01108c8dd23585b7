import { type ChannelOptions, type MethodDefinition, Server, type UntypedServiceImplementation } from "@grpc/grpc-js";
import type { Buffer } from "node:buffer";
import type { Route } from "./exchange.ts";
import { messageBytes, type OutMessage } from "./pieces.ts";
import { type CallContext, routeCalls } from "./routed_call.ts";

/** A grpc-js server whose methods are the routes of `context`, all of them streams of bytes. */
export function createGrpcServer(options: ChannelOptions, context: CallContext): Server {
  const server = new Server({ ...options, interceptors: [routeCalls(context)] });
  const definition: Record<string, MethodDefinition<Buffer, OutMessage>> = {};
  const implementation: UntypedServiceImplementation = {};
  for (const [path, route] of context.routes) {
    definition[path] = methodOf(route);
    implementation[path] = neverCalled;
  }
  server.addService(definition, implementation);
  return server;
}

function methodOf({ path }: Route): MethodDefinition<Buffer, OutMessage> {
  return {
    path,
    requestStream: true,
    responseStream: true,
    requestSerialize: identity,
    requestDeserialize: identity,
    responseSerialize: (message: OutMessage) => messageBytes(message),
    responseDeserialize: (body: Buffer) => ({ body, tail: NO_TAIL }),
  };
}

const NO_TAIL = new Uint8Array();

function identity(bytes: Buffer): Buffer {
  return bytes;
}

/** The interceptor leads every call to its route before grpc-js would come here. */
function neverCalled(): void {}
