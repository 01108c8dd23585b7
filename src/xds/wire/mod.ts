/**
 * Requests from bytes, responses to bytes.
 * @module
 */
export { type DecodedRequest, decodeRequest, type NodeInfo } from "./decode.ts";
export { nonceTail, responseBody } from "./encode.ts";
