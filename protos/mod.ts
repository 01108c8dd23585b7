/**
 * Envoy's API as data: the descriptors of every message, enum and service that `VERSION` names.
 * @module
 */
import { gunzipSync } from "node:zlib";
import { DESCRIPTORS } from "./descriptors.ts";

/** The bytes of a google.protobuf.FileDescriptorSet (some 700 kB), unpacked anew by each call. */
export function descriptorSet(): Uint8Array {
  return gunzipSync(Uint8Array.fromBase64(DESCRIPTORS));
}
