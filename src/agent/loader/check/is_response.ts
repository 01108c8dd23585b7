import { suggest } from "../../../base/mod.ts";

const FIELDS = [
  "resources",
  "version_info",
  "versionInfo",
  "type_url",
  "typeUrl",
  "canary",
  "nonce",
  "control_plane",
  "controlPlane",
  "resource_errors",
  "resourceErrors",
];

/**
 * Whether a document is a discovery response, or is meant to be one: `{}` is, and so is one whose only field is misspelt, because
 * Envoy would take both for a response without resources.
 */
export function isResponse(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const fields = Object.keys(value);
  return fields.length === 0 ||
    fields.some((field) => FIELDS.includes(field) || suggest(field, FIELDS) !== undefined);
}
