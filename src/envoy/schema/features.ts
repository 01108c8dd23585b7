import { WireReader } from "../wire/reader.ts";

/** What distinguishes proto2, proto3 and editions: https://protobuf.dev/editions/features/ */
export interface Features {
  readonly explicitPresence?: boolean;
  readonly openEnums?: boolean;
  readonly packed?: boolean;
}

/** The features of a file that says nothing; those of `editions` are edition 2023's. */
export const FILE_DEFAULTS: Readonly<Record<"proto2" | "proto3" | "editions", Features>> = {
  proto2: { explicitPresence: true, openEnums: false, packed: false },
  proto3: { explicitPresence: false, openEnums: true, packed: true },
  editions: { explicitPresence: true, openEnums: true, packed: true },
};

// Numbers in google.protobuf.FeatureSet, and the values that differ from the default
const FIELD_PRESENCE = 1;
const ENUM_TYPE = 2;
const REPEATED_FIELD_ENCODING = 3;
const IMPLICIT = 2;
const CLOSED = 2;
const EXPANDED = 2;

/** Reads an encoded google.protobuf.FeatureSet: only what it says itself. */
export function readFeatures(bytes: Uint8Array): Features {
  let features: Features = {};
  const reader = new WireReader(bytes);
  while (reader.more()) {
    const tag = reader.tag();
    if ((tag & 7) !== 0) {
      reader.skipField(tag);
      continue;
    }
    const value = reader.uint32();
    switch (tag >>> 3) {
      case FIELD_PRESENCE:
        features = { ...features, explicitPresence: value !== IMPLICIT };
        break;
      case ENUM_TYPE:
        features = { ...features, openEnums: value !== CLOSED };
        break;
      case REPEATED_FIELD_ENCODING:
        features = { ...features, packed: value !== EXPANDED };
        break;
    }
  }
  return features;
}
