import { ChanceryError } from "../../base/mod.ts";
import { isRecord, type JsonRecord, setMember } from "./json.ts";

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/**
 * A Secret as the API server stores it: `stringData` merged into `data` as base64, over what stands there. Line breaks in
 * `data` are dropped. Throws `invalid-input` naming the key, never the value.
 */
export function mergeStringData(secret: JsonRecord): JsonRecord {
  const { stringData, data, ...rest } = secret;
  const merged: JsonRecord = {};
  for (const [key, value] of membersOf(data, "data")) {
    const text = value === null ? "" : value;
    const base64 = typeof text === "string" ? text.replace(/[\r\n]/g, "") : undefined;
    if (base64 === undefined || !BASE64.test(base64)) {
      throw new ChanceryError(
        "invalid-input",
        `Cannot store Secret: data "${key}" must be base64; use stringData for text`,
      );
    }
    setMember(merged, key, base64);
  }
  for (const [key, value] of membersOf(stringData, "stringData")) {
    if (typeof value !== "string") {
      throw new ChanceryError(
        "invalid-input",
        `Cannot store Secret: stringData "${key}" must be a string; put it in quotes`,
      );
    }
    setMember(merged, key, new TextEncoder().encode(value).toBase64());
  }
  return data === undefined && stringData === undefined ? rest : { ...rest, data: merged };
}

function membersOf(value: unknown, field: string): [string, unknown][] {
  if (value === undefined || value === null) return [];
  if (!isRecord(value)) throw new ChanceryError("invalid-input", `Cannot store Secret: ${field} must be a mapping`);
  return Object.entries(value);
}
