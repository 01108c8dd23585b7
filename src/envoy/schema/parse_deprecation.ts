import { WIRE, WireReader } from "../wire/reader.ts";
import type { Deprecation } from "./descriptor.ts";

const FIELD_DEPRECATED = 3; // google.protobuf.FieldOptions
const VALUE_DEPRECATED = 1; // google.protobuf.EnumValueOptions
// envoy/annotations/deprecation.proto
const FIELD_DISALLOWED = 189503207;
const FIELD_SINCE = 157299826;
const VALUE_DISALLOWED = 70100853;
const VALUE_SINCE = 181198657;

const FINE: Deprecation = { deprecated: false, disallowed: false };

/** Reads what FieldOptions or EnumValueOptions say about being on the way out. */
export function readDeprecation(options: Uint8Array, of: "field" | "value" = "field"): Deprecation {
  let deprecated = false;
  let disallowed = false;
  let since: string | undefined;
  const wanted = of === "field"
    ? { deprecated: FIELD_DEPRECATED, disallowed: FIELD_DISALLOWED, since: FIELD_SINCE }
    : { deprecated: VALUE_DEPRECATED, disallowed: VALUE_DISALLOWED, since: VALUE_SINCE };
  const reader = new WireReader(options);
  while (reader.more()) {
    const tag = reader.tag();
    if (tag === wanted.deprecated << 3) deprecated = reader.bool();
    else if (tag === wanted.disallowed << 3) disallowed = reader.bool();
    else if (tag === (wanted.since << 3 | WIRE.LENGTH)) since = reader.stringVerify();
    else reader.skipField(tag);
  }
  if (!deprecated && !disallowed) return FINE;
  return { deprecated, disallowed, ...(since === undefined ? {} : { since }) };
}
