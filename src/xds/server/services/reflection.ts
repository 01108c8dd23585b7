import { envoyRegistry, type FileEntry, type Plain } from "../../../envoy/mod.ts";
import { headerText, NOT_FOUND, UNIMPLEMENTED } from "../status.ts";
import type { Route } from "../exchange.ts";
import { dialogue } from "./unary.ts";

/** Both versions look the same on the wire. */
const SERVICES = ["grpc.reflection.v1.ServerReflection", "grpc.reflection.v1alpha.ServerReflection"];
const REQUEST = "grpc.reflection.v1.ServerReflectionRequest";
const RESPONSE = "grpc.reflection.v1.ServerReflectionResponse";

/**
 * Server reflection, so that `grpcurl` can talk to the server without .proto files. Extensions are not looked up: no message of
 * the API is made of them.
 *
 * @param services full names of the other services that are served
 */
export function reflectionRoutes(services: readonly string[]): Route[] {
  const listed = [...services, ...SERVICES].sort();
  return SERVICES.map((service) => dialogue(`/${service}/ServerReflectionInfo`, (bytes) => respond(bytes, listed)));
}

function respond(bytes: Uint8Array, services: readonly string[]): Uint8Array {
  const registry = envoyRegistry();
  const request = registry.codec(REQUEST).decode(bytes);
  return registry.codec(RESPONSE).encode({
    valid_host: request.host,
    original_request: request,
    ...answer(request, services),
  });
}

function answer(request: Plain, services: readonly string[]): Plain {
  const registry = envoyRegistry();
  const { file_by_filename: file, file_containing_symbol: symbol, list_services: list } = request;
  if (typeof list === "string") return { list_services_response: { service: services.map((name) => ({ name })) } };
  if (typeof file === "string") return filesFrom(registry.file(file), file);
  if (typeof symbol === "string") return filesFrom(registry.fileOf(symbol), symbol);
  return failure(UNIMPLEMENTED, "Only files, symbols and services are looked up");
}

/** A file with all it depends on, so that one answer is enough. */
function filesFrom(start: FileEntry | undefined, asked: string): Plain {
  if (!start) return failure(NOT_FOUND, headerText(`Unknown name "${asked}"`));
  const files = new Map([[start.name, start]]);
  for (const { dependencies } of files.values()) {
    for (const name of dependencies) {
      const file = files.has(name) ? undefined : envoyRegistry().file(name);
      if (file) files.set(name, file);
    }
  }
  return { file_descriptor_response: { file_descriptor_proto: [...files.values()].map((f) => f.bytes) } };
}

function failure(code: number, message: string): Plain {
  return { error_response: { error_code: code, error_message: message } };
}
