import { Buffer } from "node:buffer";
import type { ServiceDefinition } from "@grpc/grpc-js";

/** A service that needs no schema: texts as they are. */
export const WHO = {
  are: {
    path: "/test.Who/Are",
    requestStream: false,
    responseStream: false,
    requestSerialize: encode,
    requestDeserialize: decode,
    responseSerialize: encode,
    responseDeserialize: decode,
  },
} satisfies ServiceDefinition;

// grpc-js wants Node's Buffer, which is a Uint8Array with more methods.
function encode(text: string) {
  return Buffer.from(text);
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}
