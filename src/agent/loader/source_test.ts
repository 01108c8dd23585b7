import { expect } from "expect";
import { parseNamedSource } from "./source.ts";

Deno.test("parseNamedSource() reads a name, a namespace and a folder", () => {
  expect(parseNamedSource("configmap", "a", "shop")).toMatchObject({ namespace: "shop", name: "a", folder: "" });
  expect(parseNamedSource("secret", "blog/a.b=certs", "shop")).toEqual({
    id: "secret blog/a.b",
    kind: "secret",
    namespace: "blog",
    name: "a.b",
    folder: "certs",
  });
});

for (const text of ["", "A", "a b", "a/b/c", "a=", "a=..", "a=x/y", "a=b=c", "../a", "a?watch=1", "a=.hidden"]) {
  Deno.test(`parseNamedSource() refuses ${JSON.stringify(text)}`, () => {
    expect(() => parseNamedSource("configmap", text, "shop")).toThrow("Cannot follow configmap");
  });
}

Deno.test("parseNamedSource() asks for the namespace that nobody names", () => {
  expect(() => parseNamedSource("configmap", "a", "")).toThrow("set --namespace, NS or POD_NAMESPACE");
});
