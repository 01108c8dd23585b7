import { expect } from "expect";
import { readSelector, selects } from "./selector.ts";

Deno.test("selects() chooses as kubectl does", () => {
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
    "app in (blog, shop)": true,
    "app in (blog)": false,
    "app notin (blog,cart)": true,
    "app notin (shop)": false,
    "other notin (x)": true,
    "app in (shop,blog),!other,example.org/tier": true,
  };
  for (const [text, wanted] of Object.entries(cases)) {
    expect([text, selects(readSelector(text), labels)]).toEqual([text, wanted]);
  }
  for (const wrong of ["", "a=b=c", "a in b", "a in (b", "a within (b)", "=b", "a,,b", "!a=b"]) {
    expect(() => readSelector(wrong)).toThrow("KEY=VALUE");
  }
});
