import { expect } from "expect";
import { installOptions, SETTINGS } from "./settings.ts";

/** What a value of an option's type looks like. */
function typeOf(value: unknown): string {
  if (Array.isArray(value)) return "list";
  return typeof value;
}

const LOOKS = {
  ...{ text: "string", count: "number", switch: "boolean" },
  ...{ texts: "list", mapping: "object", mappings: "list" },
} as const;

Deno.test("installOptions() has a member for each setting, of the type that the table says", () => {
  const options = installOptions() as unknown as Record<string, unknown>; // looked into by name
  for (const [name, { type, default: fallback }] of Object.entries(SETTINGS)) {
    const value = name.split(".").reduce<unknown>((at, step) => (at as Record<string, unknown>)[step], options);
    expect([name, typeOf(value)]).toEqual([name, LOOKS[type]]);
    expect(value).toEqual(fallback);
  }
  expect(Object.keys(options).sort()).toEqual(
    [...new Set(["namespace", ...Object.keys(SETTINGS).map((name) => name.split(".")[0]!)])].sort(),
  );
});

Deno.test("installOptions() takes what is set, and leaves its neighbours", () => {
  const { webhook, operator, namespace } = installOptions({ "webhook.replicas": 3 }, "shop");
  expect([webhook.replicas, operator.replicas, namespace]).toEqual([3, 1, "shop"]);
  expect(webhook.resources).toEqual(SETTINGS["webhook.resources"].default);
});
