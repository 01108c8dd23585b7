import { expect } from "expect";
import { filesOf } from "./files_of.ts";

const CONFIGMAP = { kind: "configmap", folder: "" } as const;

function textsOf(files: ReturnType<typeof filesOf>): Record<string, string> {
  return Object.fromEntries([...files].map(([path, { bytes }]) => [path, new TextDecoder().decode(bytes)]));
}

Deno.test("L8: filesOf() takes data and binaryData, and puts them into the folder", () => {
  const object = { metadata: { name: "a", namespace: "n" }, data: { "a.yaml": "ä" }, binaryData: { b: btoa("b") } };
  expect(textsOf(filesOf(object, CONFIGMAP))).toEqual({ "a.yaml": "ä", b: "b" });
  expect(textsOf(filesOf(object, { ...CONFIGMAP, folder: "x" }))).toEqual({ "x/a.yaml": "ä", "x/b": "b" });
});

Deno.test("filesOf() marks what a Secret gives, and never quotes it", () => {
  const files = filesOf({ data: { key: btoa("geheim") } }, { kind: "secret", folder: "" });
  expect([...files.values()].map(({ secret }) => secret)).toEqual([true]);
  expect(() => filesOf({ data: { key: "ge heim!" } }, { kind: "secret", folder: "" })).toThrow(
    /^Cannot take key "key" of secret \/: it is no base64$/,
  );
});

for (const key of ["..", ".", "a/b", "..data", ""]) {
  Deno.test(`filesOf() never leaves the output: ${JSON.stringify(key)}`, () => {
    expect(() => filesOf({ data: { [key]: "x" } }, CONFIGMAP)).toThrow("it is no file name");
  });
}

Deno.test("filesOf() takes an object without data", () => {
  expect(filesOf({ data: null }, CONFIGMAP).size).toBe(0);
});
