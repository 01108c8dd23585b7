/**
 * Draws JSON for a message type: mostly what a person could have meant, with a mistake now and then. Only for tests.
 * @module
 */
import fc from "fast-check";
import { type FieldDescriptor, KIND, type MessageDescriptor, type Registry } from "../../src/envoy/mod.ts";

/** Draws a value, as `fc.gen()` does. */
export type Draw = fc.GeneratorValue;

/** How the JSON is drawn. */
export interface DrawOptions {
  readonly registry: Registry;
  /** Levels of messages that may still follow. */
  readonly depth: number;
  /** One value in this many is a mistake; 0 for none. */
  readonly mistakes: number;
  /** Whether each Any stays empty; false when absent. */
  readonly emptyAnys?: boolean;
}

/** Types that are put into an Any. */
const ANY_TYPES = [
  "envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager",
  "envoy.extensions.filters.http.router.v3.Router",
  "envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext",
  "envoy.extensions.access_loggers.file.v3.FileAccessLog",
  "envoy.config.route.v3.RouteConfiguration",
  "google.protobuf.Duration",
  "google.protobuf.Struct",
  "google.protobuf.StringValue",
  "google.protobuf.Empty",
  "google.protobuf.Any",
];

const JUNK: readonly unknown[] = [
  null,
  true,
  "true",
  "",
  "x",
  "1",
  "-1",
  "1.5",
  "1e2",
  0,
  -1,
  1.5,
  3e9,
  -3e9,
  1e20,
  "1s",
  "-0.5s",
  "1.0000000001s",
  "2026-01-31T10:00:00Z",
  "AAECAw==",
  "A",
  [],
  {},
  [null],
  [1, "a"],
  { a: 1 },
  { "@type": "type.googleapis.com/acme.Nothing" },
  { "@type": "envoy.config.core.v3.Address" },
];

/** The JSON of a message. */
export function drawMessage(draw: Draw, descriptor: MessageDescriptor, options: DrawOptions): unknown {
  if (isMistake(draw, options)) return oneOf(draw, JUNK);
  const special = SPECIAL[descriptor.name];
  if (special) return special(draw, options);
  if (/^google\.protobuf\.\w+Value$/.test(descriptor.name)) return drawScalar(draw, descriptor.fields[0]!, options);
  return drawMembers(draw, descriptor, options);
}

function drawMembers(draw: Draw, descriptor: MessageDescriptor, options: DrawOptions): Record<string, unknown> {
  const out: Record<string, unknown> = {};
  const count = draw(fc.nat, { max: options.depth > 0 ? 4 : 1 });
  const oneofs = new Set<unknown>();
  for (let i = 0; i < count && descriptor.fields.length > 0; i++) {
    const field = descriptor.fields[draw(fc.nat, { max: descriptor.fields.length - 1 })]!;
    if (field.oneof && oneofs.has(field.oneof) && !isMistake(draw, options)) continue;
    if (options.depth <= 0 && field.kind === KIND.MESSAGE) continue;
    oneofs.add(field.oneof);
    const key = isMistake(draw, options) ? oneOf(draw, ["nme", "__proto__", "toString", ""]) : nameOf(draw, field);
    if (Object.hasOwn(out, key)) continue;
    if ((field.name in out || field.jsonName in out) && !isMistake(draw, options)) continue;
    Object.defineProperty(out, key, { value: drawField(draw, field, options), enumerable: true, configurable: true });
  }
  return out;
}

function nameOf(draw: Draw, field: FieldDescriptor): string {
  return draw(fc.boolean) ? field.jsonName : field.name;
}

/** The JSON of a field: a value, a list or a map. */
function drawField(draw: Draw, field: FieldDescriptor, options: DrawOptions): unknown {
  if (isMistake(draw, options)) return oneOf(draw, JUNK);
  if (field.map) {
    const { key, value } = field.map;
    const out: Record<string, unknown> = {};
    for (let i = draw(fc.nat, { max: 2 }); i > 0; i--) {
      out[String(drawScalar(draw, key, { ...options, mistakes: 0 }))] = drawScalar(draw, value, options);
    }
    return out;
  }
  if (!field.repeated) return drawScalar(draw, field, options);
  return Array.from({ length: draw(fc.nat, { max: 3 }) }, () => drawScalar(draw, field, options));
}

function drawScalar(draw: Draw, field: FieldDescriptor, options: DrawOptions): unknown {
  if (field.kind === KIND.MESSAGE) return drawMessage(draw, field.message, { ...options, depth: options.depth - 1 });
  if (isMistake(draw, options)) return oneOf(draw, JUNK);
  switch (field.kind) {
    case KIND.BOOL:
      return draw(fc.boolean);
    case KIND.STRING:
      return draw(fc.string, { unit: "binary", maxLength: 6 });
    case KIND.BYTES:
      return draw(fc.base64String, { maxLength: 12 });
    case KIND.FLOAT:
      return draw(fc.float, { noNaN: true, noDefaultInfinity: true });
    case KIND.DOUBLE:
      return oneOf(draw, [0, -0, 0.1, 1e300, "NaN", "-Infinity", "2.5"]);
    case KIND.ENUM:
      return oneOf(draw, [
        ...field.enum.byName.keys(),
        ...field.enum.byNumber.keys(),
        ...(field.enum.open ? [99] : []),
      ]);
    case KIND.INT64:
    case KIND.SINT64:
    case KIND.SFIXED64:
      return oneOf(draw, [0, "-1", 5, "9007199254740993", "-9223372036854775808", "9223372036854775807"]);
    case KIND.UINT64:
    case KIND.FIXED64:
      return oneOf(draw, [0, "1", 5, "9007199254740993", "18446744073709551615"]);
    case KIND.UINT32:
    case KIND.FIXED32:
      return oneOf(draw, [0, 1, "7", 128, 65536, 4294967295]);
    default:
      return oneOf(draw, [0, 1, -1, "7", 2147483647, -2147483648]);
  }
}

const SPECIAL: Readonly<Record<string, ((draw: Draw, options: DrawOptions) => unknown) | undefined>> = {
  "google.protobuf.Any": drawAny,
  "google.protobuf.Duration": (draw) => oneOf(draw, ["0s", "1s", "-1.5s", "0.000000001s", "3600s", "-0.25s"]),
  "google.protobuf.Timestamp": (draw) =>
    oneOf(draw, ["1970-01-01T00:00:00Z", "2026-01-31T10:00:00.5Z", "1969-12-31T23:59:59.25+01:00"]),
  "google.protobuf.FieldMask": (draw) => oneOf(draw, ["", "a", "a.bC,d"]),
  "google.protobuf.Struct": (draw) => draw(fc.dictionary, fc.string({ maxLength: 4 }), drawable()),
  "google.protobuf.Value": (draw) => draw(drawable),
  "google.protobuf.ListValue": (draw) => draw(fc.array, drawable(), { maxLength: 3 }),
};

function drawable(): fc.Arbitrary<unknown> {
  return fc.jsonValue({ maxDepth: 2 });
}

function drawAny(draw: Draw, options: DrawOptions): unknown {
  if (options.depth <= 0 || options.emptyAnys === true) return {};
  const type = oneOf(draw, [...ANY_TYPES]);
  const descriptor = options.registry.message(type)!;
  const url = { "@type": `type.googleapis.com/${type}` };
  const inner = { ...options, depth: options.depth - 1 };
  if (type === "google.protobuf.Empty") return url;
  if (SPECIAL[type] || /^google\.protobuf\.\w+Value$/.test(type)) {
    return { ...url, value: drawMessage(draw, descriptor, inner) };
  }
  return { ...url, ...drawMembers(draw, descriptor, inner) };
}

function oneOf<T>(draw: Draw, values: readonly T[]): T {
  return values[draw(fc.nat, { max: values.length - 1 })]!;
}

function isMistake(draw: Draw, { mistakes }: DrawOptions): boolean {
  return mistakes > 0 && draw(fc.nat, { max: mistakes - 1 }) === 0 && draw(fc.boolean);
}
