import { expect } from "expect";
import { type ClientAuthorization, clientRight } from "./client_right.ts";

function peer(...uris: string[]) {
  return {
    address: "10.0.0.1:4",
    certificate: { subject: "CN=x", names: [...uris, "urn:chancery:namespace:shop"], uris, fingerprint: "00" },
  };
}

function node(id: string, metadata: Record<string, string> = {}) {
  return { id, metadata: new Map(Object.entries(metadata)) };
}

const SHOP = "urn:chancery:namespace:shop";

interface Row {
  readonly name: string;
  readonly wanted: Exclude<ClientAuthorization, "Off">;
  readonly id?: string;
  readonly uris: readonly string[];
  /** Where the client says that it runs. */
  readonly pod?: string;
  readonly want: "node-id" | "namespace" | undefined;
}

const ROWS: readonly Row[] = [
  { name: "its namespace", wanted: "Namespace", uris: [SHOP], want: "namespace" },
  { name: "the node id", wanted: "Namespace", uris: ["urn:chancery:node:shop:edge"], want: "node-id" },
  { name: "both", wanted: "NodeID", uris: [SHOP, "urn:chancery:node:shop:edge"], want: "node-id" },
  { name: "another namespace", wanted: "Namespace", uris: ["urn:chancery:namespace:blog"], want: undefined },
  { name: "a longer namespace", wanted: "Namespace", uris: ["urn:chancery:namespace:shop2"], want: undefined },
  { name: "its namespace in capitals", wanted: "Namespace", uris: ["URN:CHANCERY:NAMESPACE:SHOP"], want: undefined },
  { name: "the node id elsewhere", wanted: "NodeID", uris: ["urn:chancery:node:blog:edge"], want: undefined },
  { name: "another node id", wanted: "NodeID", uris: ["urn:chancery:node:shop:edge2"], want: undefined },
  { name: "only its namespace where the node id is asked for", wanted: "NodeID", uris: [SHOP], want: undefined },
  { name: "nothing, whatever its other names are", wanted: "Namespace", uris: [], want: undefined },
  {
    ...{ name: "a node id with a colon in it, encoded", wanted: "NodeID", id: "a:b/c ü" },
    ...{ uris: ["urn:chancery:node:shop:a%3Ab%2Fc%20%C3%BC"], want: "node-id" },
  },
  {
    ...{ name: "a node id that looks like another with its namespace", wanted: "NodeID", id: "b" },
    ...{ uris: ["urn:chancery:node:shop:a:b", "urn:chancery:node:shop%3Aa:b"], want: undefined },
  },
  { name: "its namespace, from a pod in it", wanted: "Namespace", uris: [SHOP], pod: "shop", want: "namespace" },
  { name: "its namespace, from a pod elsewhere", wanted: "Namespace", uris: [SHOP], pod: "blog", want: undefined },
];

for (const { name, wanted, id = "edge", uris, pod, want } of ROWS) {
  Deno.test(`W4, I17: ${wanted}: a certificate with ${name} ${want ? "grants" : "does not grant"} the node id`, () => {
    const metadata = pod === undefined ? {} : { pod_namespace: pod };
    const right = clientRight(node(id, metadata), peer(...uris), { namespace: "shop", wanted });
    expect("by" in right ? right.by : undefined).toBe(want);
  });
}

Deno.test("clientRight() says what is missing, and stays short whatever a client sends", () => {
  const to = { namespace: "shop", wanted: "Namespace" } as const;
  expect(clientRight(node("edge"), peer("urn:x"), to)).toEqual({
    refusal: `The client certificate does not grant node id "edge": it needs "urn:chancery:namespace:shop" or ` +
      `"urn:chancery:node:shop:edge", and has "urn:x"`,
  });
  expect(clientRight(node("edge"), { address: "unix" }, to)).toEqual({
    refusal: `Node id "edge" needs a client certificate that grants it`,
  });
  expect(clientRight(node("a\ud800"), peer(SHOP), to)).toMatchObject({
    refusal: expect.stringContaining("is no text"),
  });
  const many = Array.from({ length: 1000 }, (_, i) => `urn:${i}:${"x".repeat(5000)}`);
  const long = clientRight(node("n".repeat(100_000)), peer(...many), to);
  expect("refusal" in long && long.refusal.length).toBeLessThan(3500);
});
