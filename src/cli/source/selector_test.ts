import { expect } from "expect";
import { labelSelector } from "./selector.ts";

Deno.test("labelSelector() chooses as kubectl does", () => {
  const labels = { app: "shop", "example.org/tier": "", toString: "x" };
  const cases: Readonly<Record<string, boolean>> = {
    "app=shop": true,
    "app==shop": true,
    "app = shop": true,
    "app=blog": false,
    "app!=blog": true,
    "app!=shop": false,
    "other!=x": true,
    "other=x": false,
    app: true,
    other: false,
    "!app": false,
    "!other": true,
    "example.org/tier=": true,
    "app=shop,!other": true,
    "app=shop,other": false,
    constructor: false,
  };
  for (const [text, wanted] of Object.entries(cases)) {
    expect([text, labelSelector(text)(labels)]).toEqual([text, wanted]);
  }
  for (const wrong of ["", "a=b=c", "a in (b)", "=b", "a,,b", "!a=b"]) {
    expect(() => labelSelector(wrong)).toThrow("KEY=VALUE");
  }
});
