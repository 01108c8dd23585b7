import { expect } from "expect";
import { nodeRefusal } from "./node_right.ts";

function peer(...names: string[]) {
  return { address: "10.0.0.1:4", certificate: { subject: "CN=x", names, uris: [], fingerprint: "00" } };
}

Deno.test("W4: a client may be the nodes that its certificate names, and no other", () => {
  expect(nodeRefusal({ id: "edge" }, peer("pod-7", "edge"))).toBeUndefined();
  expect(nodeRefusal({ id: "edge" }, peer("edge-2", "EDGE", "*"))).toBe(
    `The client certificate does not name node id "edge", only "edge-2", "EDGE", "*"`,
  );
  expect(nodeRefusal({ id: "edge" }, peer())).toContain("only nothing");
  expect(nodeRefusal({ id: "edge" }, { address: "unix" })).toContain("needs a client certificate");
});

Deno.test("nodeRefusal() stays short, whatever a certificate holds", () => {
  const names = Array.from({ length: 1000 }, (_, i) => `name-${i}`);
  expect(nodeRefusal({ id: "edge" }, peer(...names))).toContain(`"name-4" and 995 more`);
});
