import { expect } from "expect";
import fc from "fast-check";
import { envoyRegistry, RESOURCE_TYPES } from "../../envoy/mod.ts";
import { type Resource, snapshotOf } from "../../snapshot/mod.ts";
import type { Send } from "../session/mod.ts";
import { difference, EMPTY_VIEW, type Entry, type View, viewOf } from "../view.ts";
import { decodeRequest } from "./decode.ts";
import { nonceTail, responseBody } from "./encode.ts";

const TYPE_URL = RESOURCE_TYPES[0]!.typeUrl;
const SOTW = "envoy.service.discovery.v3.DiscoveryResponse";
const DELTA = "envoy.service.discovery.v3.DeltaDiscoveryResponse";

function decode(message: string, send: Send): Record<string, unknown> {
  const [body, tail] = [responseBody(send), nonceTail(send.nonce)];
  const bytes = new Uint8Array(body.length + tail.length);
  bytes.set(body);
  bytes.set(tail, body.length);
  return envoyRegistry().codec(message).decode(bytes);
}

const resource: fc.Arbitrary<Resource> = fc.record({
  name: fc.string({ unit: "grapheme", maxLength: 300 }),
  version: fc.string({ minLength: 1, maxLength: 20 }),
  body: fc.uint8Array({ maxLength: 20_000, size: "max" }),
}).map((rest) => ({ typeUrl: TYPE_URL, ...rest }));

const resources = fc.uniqueArray(resource, { selector: (r) => r.name, maxLength: 6 });

function viewOfAll(list: readonly Resource[]): View {
  const type = snapshotOf(list).types.get(TYPE_URL);
  return type ? viewOf(type) : EMPTY_VIEW;
}

function byName(a: { name: string }, b: { name: string }): number {
  return a.name < b.name ? -1 : 1;
}

Deno.test("responseBody() and nonceTail() make the state-of-the-world response that protobuf reads back", () => {
  fc.assert(
    fc.property(resources, fc.string({ maxLength: 30 }), (list, version) => {
      const view = viewOfAll(list);
      const send: Send = { typeUrl: TYPE_URL, nonce: "0000002a", version, payload: { protocol: "sotw", view } };
      const plain = decode(SOTW, send);
      expect(plain["nonce"]).toBe("0000002a");
      expect(plain["type_url"]).toBe(TYPE_URL);
      expect(plain["version_info"] ?? "").toBe(version);
      const sent = (plain["resources"] ?? []) as { type_url: string; value?: Uint8Array }[];
      expect(sent.map((any) => any.type_url)).toEqual(list.map(() => TYPE_URL));
      const bodies = [...list].sort(byName).map((r) => [...r.body]);
      expect(sent.map((any) => [...any.value ?? []])).toEqual(bodies);
    }),
    { numRuns: 200 },
  );
});

Deno.test("responseBody() makes the delta response that protobuf reads back, removed names included", () => {
  fc.assert(
    fc.property(resources, fc.uniqueArray(fc.string({ maxLength: 200 }), { maxLength: 5 }), (list, gone) => {
      const to = viewOfAll(list);
      const removed = gone.filter((name) => !to.entries.has(name));
      const from: View = { entries: new Map(removed.map((name): [string, Entry] => [name, { version: "1" }])) };
      const payload = { protocol: "delta", difference: difference(from, to) } as const;
      const plain = decode(DELTA, { typeUrl: TYPE_URL, nonce: "00000001", version: "v", payload });
      const sent = (plain["resources"] ?? []) as { name?: string; version: string; resource: { value?: Uint8Array } }[];
      expect(sent.map((r) => [r.name ?? "", r.version, ...r.resource.value ?? []])).toEqual(
        [...list].sort(byName).map((r) => [r.name, r.version, ...r.body]),
      );
      expect(plain["removed_resources"] ?? []).toEqual(removed);
      expect(plain["nonce"]).toBe("00000001");
    }),
    { numRuns: 200 },
  );
});

Deno.test("responseBody() gives an on-demand virtual host the asked name as alias, and an unknown one no body", () => {
  const host: Resource = { typeUrl: TYPE_URL, name: "r/shop", version: "1", body: Uint8Array.of(1) };
  const to: View = {
    entries: new Map<string, Entry>([["r/shop.example", { version: "1", resource: host }], ["r/none", {
      version: "absent",
    }]]),
  };
  const payload = { protocol: "delta", difference: difference(EMPTY_VIEW, to) } as const;
  const plain = decode(DELTA, { typeUrl: TYPE_URL, nonce: "00000001", version: "v", payload });
  expect(plain["resources"]).toEqual([
    {
      name: "r/shop",
      aliases: ["r/shop.example"],
      version: "1",
      resource: { type_url: TYPE_URL, value: Uint8Array.of(1) },
    },
    { name: "r/none", aliases: ["r/none"] },
  ]);
});

Deno.test("responseBody() is the same array for the same response, whoever gets it (rule 5)", () => {
  const view = viewOfAll([{ typeUrl: TYPE_URL, name: "a", version: "1", body: Uint8Array.of(1) }]);
  const send = (nonce: string): Send => ({
    typeUrl: TYPE_URL,
    nonce,
    version: "v",
    payload: { protocol: "sotw", view },
  });
  responseBody(send("00000001")); // what one stream alone asks for is not kept
  expect(responseBody(send("00000002"))).toBe(responseBody(send("00000003")));
});

Deno.test("decodeRequest() reads the node, the verdict and the names", () => {
  const codec = envoyRegistry().codec("envoy.service.discovery.v3.DeltaDiscoveryRequest");
  const bytes = codec.encode({
    node: {
      id: "edge-1",
      cluster: "edge",
      user_agent_name: "envoy",
      user_agent_build_version: { version: { major_number: 1, minor_number: 40 } },
      metadata: { fields: { pod_name: { string_value: "edge-abc" }, weight: { number_value: 2 } } },
    },
    type_url: TYPE_URL,
    response_nonce: "0000000b",
    error_detail: { code: 13, message: "bad" },
    resource_names_subscribe: ["a", ""],
    resource_names_unsubscribe: ["*"],
    initial_resource_versions: { x: "1" },
  });
  const { request, node } = decodeRequest("delta", bytes);
  expect(node).toEqual({
    id: "edge-1",
    cluster: "edge",
    userAgent: "envoy 1.40.0",
    metadata: new Map([["pod_name", "edge-abc"]]),
  });
  expect(request).toEqual({
    typeUrl: TYPE_URL,
    nonce: "0000000b",
    error: { code: 13, message: "bad" },
    version: "",
    names: [],
    subscribe: ["a", ""],
    unsubscribe: ["*"],
    initialVersions: new Map([["x", "1"]]),
  });
});

Deno.test("decodeRequest() never throws anything but invalid-input, whatever the bytes", () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 200 }),
      fc.constantFrom("sotw" as const, "delta" as const),
      (bytes, protocol) => {
        try {
          decodeRequest(protocol, bytes);
        } catch (error) {
          expect(error).toMatchObject({
            code: "invalid-input",
            message: expect.stringMatching(/^Cannot decode the request/),
          });
        }
      },
    ),
    { numRuns: 2_000 },
  );
});
