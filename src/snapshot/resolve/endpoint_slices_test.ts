import { expect } from "expect";
import fc from "fast-check";
import { checkSchema, EndpointSlice, EndpointSlicesSource } from "../../api/mod.ts";
import { canonicalJson, formatFinding } from "../../base/mod.ts";
import { testCases } from "../../../tests/golden/cases.ts";
import { resolveEndpointSlices } from "./endpoint_slices.ts";
import { sourcesOf } from "./sources.ts";

testCases(new URL("./testdata", import.meta.url), {
  name: "resolveEndpointSlices()",
  run({ source, slices }) {
    const resolved = resolveEndpointSlices(sourceOf(source), select(slicesOf(slices), sourceOf(source)));
    return { ...resolved, notes: resolved.notes?.map(formatFinding) };
  },
});

Deno.test("W20: the order of slices and endpoints does not show in the result", () => {
  const endpoint = fc.record({
    addresses: fc.tuple(fc.integer({ min: 1, max: 6 }).map((n) => `10.0.0.${n}`)),
    conditions: fc.record({ ready: fc.boolean() }),
    zone: fc.constantFrom("a", "b"),
    targetRef: fc.record({ uid: fc.constantFrom("u1", "u2", "u3") }),
  });
  const slice = fc.record({
    endpoints: fc.array(endpoint, { maxLength: 5 }),
    port: fc.constantFrom(80, 81),
    six: fc.boolean(),
  });
  const source = sourceOf({ clusterName: "c", targetPort: "http", selector: {} });
  fc.assert(fc.property(fc.array(slice, { maxLength: 5 }), fc.infiniteStream(fc.nat()), (drawn, random) => {
    const made = slicesOf(drawn.map(({ endpoints, port, six }, index) => ({
      metadata: { name: `s${index}` },
      addressType: six ? "IPv6" : "IPv4",
      ports: [{ name: "http", port }],
      endpoints: six
        ? endpoints.map((one) => ({ ...one, addresses: [`fd00::${one.addresses[0].slice(7)}`] }))
        : endpoints,
    })));
    const shuffled = shuffle(made, random).map((one) => ({ ...one, endpoints: shuffle(one.endpoints ?? [], random) }));
    const [straight, mixed] = [made, shuffled].map((slices) => resolveEndpointSlices(source, slices));
    expect(canonicalJson(mixed?.value)).toBe(canonicalJson(straight?.value));
  }));
});

function shuffle<T>(items: readonly T[], random: Iterator<number>): T[] {
  return items.map((item) => ({ item, rank: random.next().value as number })) // the stream never ends
    .sort((a, b) => a.rank - b.rank).map(({ item }) => item);
}

/** As a build does it: those that match, by name. */
function select(slices: readonly EndpointSlice[], { selector }: EndpointSlicesSource): EndpointSlice[] {
  return sourcesOf([], slices).slices(selector).toSorted((a, b) => a.metadata.name < b.metadata.name ? -1 : 1);
}

function sourceOf(value: unknown): EndpointSlicesSource {
  expect(checkSchema(EndpointSlicesSource, value)).toEqual([]);
  return value as EndpointSlicesSource; // checked in the line above
}

function slicesOf(values: unknown): EndpointSlice[] {
  return (values as Record<string, unknown>[]).map((value) => { // lists in our own files
    const slice = { apiVersion: "discovery.k8s.io/v1", kind: "EndpointSlice", ...value };
    expect(checkSchema(EndpointSlice, slice)).toEqual([]);
    return slice as unknown as EndpointSlice; // checked in the line above
  });
}
