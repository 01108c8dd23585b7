import { ChanceryError, errorMessage } from "../../base/mod.ts";
import { envoyRegistry } from "../../envoy/mod.ts";
import type { XdsRequest } from "../session/mod.ts";

/** The part of a request's node message that the server uses. */
export interface NodeInfo {
  readonly id: string;
  readonly cluster: string;
  /** `envoy 1.40.0`, `gRPC C-core 1.60`, …; empty when the client does not say. */
  readonly userAgent: string;
  /** String members of the metadata, such as `pod_name`. */
  readonly metadata: ReadonlyMap<string, string>;
  /** String members of the metadata's member `labels`, where there is one. */
  readonly labels?: ReadonlyMap<string, string>;
}

/** A decoded request, with the node if it carries one. */
export interface DecodedRequest {
  readonly request: XdsRequest;
  readonly node: NodeInfo | undefined;
}

const PREFIX = "envoy.service.discovery.v3.";

/**
 * Decodes a request of either protocol.
 * @throws {ChanceryError} `invalid-input` when the bytes are no such message.
 */
export function decodeRequest(protocol: "sotw" | "delta", bytes: Uint8Array): DecodedRequest {
  const codec = envoyRegistry().codec(PREFIX + (protocol === "sotw" ? "DiscoveryRequest" : "DeltaDiscoveryRequest"));
  let plain: Record<string, unknown>;
  try {
    plain = codec.decode(bytes);
  } catch (error) {
    throw new ChanceryError("invalid-input", `Cannot decode the request: ${errorMessage(error)}`, { cause: error });
  }
  const error = record(plain["error_detail"]);
  return {
    request: {
      typeUrl: text(plain["type_url"]),
      nonce: text(plain["response_nonce"]),
      error: error && { code: Number(error["code"] ?? 0), message: text(error["message"]) },
      version: text(plain["version_info"]),
      names: texts(plain["resource_names"]),
      subscribe: texts(plain["resource_names_subscribe"]),
      unsubscribe: texts(plain["resource_names_unsubscribe"]),
      initialVersions: new Map(
        Object.entries(record(plain["initial_resource_versions"]) ?? {}).map((
          [name, version],
        ) => [name, text(version)]),
      ),
    },
    node: nodeInfo(record(plain["node"])),
  };
}

function nodeInfo(node: Record<string, unknown> | undefined): NodeInfo | undefined {
  if (!node) return undefined;
  const fields = record(record(node["metadata"])?.["fields"]) ?? {};
  const labels = record(record(record(fields["labels"])?.["struct_value"])?.["fields"]);
  return {
    id: text(node["id"]),
    cluster: text(node["cluster"]),
    userAgent: userAgent(node),
    metadata: stringMembers(fields),
    ...(labels && { labels: stringMembers(labels) }),
  };
}

/** The members of a Struct that are strings. */
function stringMembers(fields: Record<string, unknown>): ReadonlyMap<string, string> {
  const members = new Map<string, string>();
  for (const [name, value] of Object.entries(fields)) {
    const member = record(value)?.["string_value"];
    if (typeof member === "string") members.set(name, member);
  }
  return members;
}

function userAgent(node: Record<string, unknown>): string {
  const name = text(node["user_agent_name"]);
  const version = record(record(node["user_agent_build_version"])?.["version"]);
  const numbers = version &&
    ["major_number", "minor_number", "patch"].map((part) => Number(version[part] ?? 0)).join(".");
  return `${name} ${numbers ?? text(node["user_agent_version"])}`.trim();
}

function record(value: unknown): Record<string, unknown> | undefined {
  // decoded messages are objects; their members are looked at one by one
  return typeof value === "object" && value !== null ? value as Record<string, unknown> : undefined;
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}
