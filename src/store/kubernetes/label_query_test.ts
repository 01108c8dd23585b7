import { expect } from "expect";
import { labelQuery } from "./label_query.ts";

Deno.test("a selector is written as the API server reads it", () => {
  const selector = {
    matchLabels: { "example.com/tier": "web", empty: "" },
    matchExpressions: [
      { key: "zone", operator: "In", values: ["a", "b"] },
      { key: "zone", operator: "NotIn", values: ["c"] },
      { key: "here", operator: "Exists" },
      { key: "old", operator: "DoesNotExist" },
    ],
  } as const;
  expect(labelQuery(selector)).toBe("example.com/tier=web,empty=,zone in (a,b),zone notin (c),here,!old");
  expect(labelQuery({})).toBe("");
});
