/** google.protobuf.FieldDescriptorProto.Type */
export const KIND = {
  DOUBLE: 1,
  FLOAT: 2,
  INT64: 3,
  UINT64: 4,
  INT32: 5,
  FIXED64: 6,
  FIXED32: 7,
  BOOL: 8,
  STRING: 9,
  GROUP: 10,
  MESSAGE: 11,
  BYTES: 12,
  UINT32: 13,
  ENUM: 14,
  SFIXED32: 15,
  SFIXED64: 16,
  SINT32: 17,
  SINT64: 18,
} as const;

/** A message in JavaScript: keys are the field names of the .proto file. */
export type Plain = Record<string, unknown>;

/** What kind of use Envoy advises against. */
export interface Deprecation {
  readonly deprecated: boolean;
  /** Refused by Envoy unless a runtime key allows it (`envoy.annotations.disallowed_by_default`). */
  readonly disallowed: boolean;
  /** The minor version of the API that deprecated it, `3.0`, when the API says. */
  readonly since?: string;
}

/** One of several members of a message of which at most one may be set. Those made up for `optional` are left out. */
export interface OneofDescriptor {
  readonly name: string;
  /** Whether one must be set (`validate.required`). */
  readonly required: boolean;
  readonly fields: FieldDescriptor[];
}

/** Key and value of a map field. */
export interface MapDescriptor {
  readonly key: FieldDescriptor;
  readonly value: FieldDescriptor;
}

/** A field. Map entries' key and value are fields too. */
export interface FieldDescriptor {
  readonly name: string;
  readonly jsonName: string;
  readonly number: number;
  /** One of {@linkcode KIND}. */
  readonly kind: number;
  readonly repeated: boolean;
  /** proto2 `required`. */
  readonly required: boolean;
  /** Full name of the message or enum; empty for scalars. */
  readonly typeName: string;
  readonly packed: boolean;
  /** Whether absent differs from zero: messages, members of a oneof, `optional`, proto2. */
  readonly presence: boolean;
  readonly oneof: OneofDescriptor | undefined;
  readonly map: MapDescriptor | undefined;
  readonly deprecation: Deprecation;
  /** Never to be shown (`udpa.annotations.sensitive`). */
  readonly sensitive: boolean;
  /** Encoded `validate.FieldRules`, when there are any. */
  readonly rules: Uint8Array | undefined;
  /** The message type; only for KIND.MESSAGE and KIND.GROUP. Throws when the descriptor set lacks it. */
  readonly message: MessageDescriptor;
  /** The enum type; only for KIND.ENUM. Throws when the descriptor set lacks it. */
  readonly enum: EnumDescriptor;
}

/** A message type. */
export interface MessageDescriptor {
  readonly name: string;
  /** In the order of their numbers. */
  readonly fields: readonly FieldDescriptor[];
  readonly byNumber: ReadonlyMap<number, FieldDescriptor>;
  /** By .proto name and by JSON name. */
  readonly byName: ReadonlyMap<string, FieldDescriptor>;
  readonly oneofs: readonly OneofDescriptor[];
  /** Whether its rules are switched off (`validate.disabled`, `validate.ignored`). */
  readonly unchecked: boolean;
  readonly deprecated: boolean;
  readonly mapEntry: boolean;
  /** Name of the .proto file. */
  readonly file: string;
  /** Zero values of the fields without presence: the prototype of decoded messages. */
  readonly defaults: Plain;
}

/** One name of an enum. */
export interface EnumValue {
  readonly name: string;
  readonly number: number;
  readonly deprecation: Deprecation;
}

/** An enum type. */
export interface EnumDescriptor {
  readonly name: string;
  readonly byName: ReadonlyMap<string, EnumValue>;
  /** The first name of a number. */
  readonly byNumber: ReadonlyMap<number, EnumValue>;
  /** Whether numbers without a name are allowed (proto3). */
  readonly open: boolean;
}

/** A gRPC service. */
export interface ServiceDescriptor {
  readonly name: string;
  readonly methods: readonly MethodDescriptor[];
}

/** A method of a service; `input` and `output` are message names. */
export interface MethodDescriptor {
  readonly name: string;
  readonly input: string;
  readonly output: string;
  readonly clientStreaming: boolean;
  readonly serverStreaming: boolean;
}

/** A .proto file of the set. */
export interface FileEntry {
  readonly name: string;
  readonly package: string;
  readonly syntax: "proto2" | "proto3" | "editions";
  readonly dependencies: readonly string[];
  /** The encoded FileDescriptorProto, as gRPC reflection hands it out. */
  readonly bytes: Uint8Array;
}
