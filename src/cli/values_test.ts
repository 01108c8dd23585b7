import { expect } from "expect";
import { defineCommand } from "./command.ts";
import { parseDuration } from "./duration.ts";
import { resolveValues } from "./values.ts";

const { options: TABLE } = defineCommand({
  summary: "",
  examples: [],
  options: {
    name: { type: "text", help: "", default: "n" },
    someFlag: { type: "flag", help: "" },
    wait: { type: "duration", help: "" },
    addresses: { type: "address", help: "", list: true },
    count: { type: "integer", help: "" },
    hidden: { type: "text", help: "", env: false },
    metrics: { type: "bind", help: "", default: ":8080" },
    namespaces: { type: "text", help: "", list: true, env: "NAMESPACES" },
    image: { type: "text", help: "", env: "IMAGE", olderEnv: "OLD_IMAGE" },
  },
  run: () => Promise.resolve(0),
});

function none(): undefined {}

Deno.test("resolveValues() prefers the command line to the environment and that to the default", () => {
  const env = (name: string) => (name === "CHANCERY_NAME" ? "from-env" : undefined);
  expect(resolveValues(TABLE, { name: "typed" }, env).name).toBe("typed");
  expect(resolveValues(TABLE, {}, env).name).toBe("from-env");
  expect(resolveValues(TABLE, {}, none).name).toBe("n");
  expect(resolveValues(TABLE, {}, () => "").name).toBe("n");
});

Deno.test("resolveValues() takes the variable of an older program where the present one is unset or empty", () => {
  const image = (set: Readonly<Record<string, string>>, typed?: string) =>
    resolveValues(TABLE, typed === undefined ? {} : { image: typed }, (name) => set[name]).image;
  expect(image({ OLD_IMAGE: "old" })).toBe("old");
  expect(image({ IMAGE: "", OLD_IMAGE: "old" })).toBe("old");
  expect(image({ IMAGE: "new", OLD_IMAGE: "old" })).toBe("new");
  expect(image({ OLD_IMAGE: "old" }, "typed")).toBe("typed");
  expect(image({})).toBeUndefined();
});

Deno.test("resolveValues() reads a flag's variable as true or false, not as present or absent", () => {
  const flag = (text: string) =>
    resolveValues(TABLE, {}, (name) => (name === "CHANCERY_SOME_FLAG" ? text : undefined)).someFlag;
  expect([flag("true"), flag("1"), flag("Yes"), flag("false"), flag("0"), flag("off")]).toEqual(
    [true, true, true, false, false, false],
  );
  expect(() => flag("maybe")).toThrow('CHANCERY_SOME_FLAG: "maybe" is neither true nor false');
});

Deno.test("resolveValues() takes lists by repetition and by commas", () => {
  const hosts = (addresses: string[]) =>
    resolveValues(TABLE, { addresses }, none).addresses.map((address) => address.kind === "tcp" && address.host);
  expect(hosts(["a:1,b:2", "c:3"])).toEqual(["a", "b", "c"]);
  expect(hosts([])).toEqual([]);
});

Deno.test("resolveValues() leaves absent options undefined and keeps variables from those that have none", () => {
  expect(resolveValues(TABLE, {}, (name) => (name === "CHANCERY_HIDDEN" ? "x" : undefined))).toEqual({
    name: "n",
    someFlag: false,
    wait: undefined,
    addresses: [],
    count: undefined,
    hidden: undefined,
    metrics: { kind: "tcp", host: "", port: 8080 },
    namespaces: [],
  });
});

Deno.test("resolveValues() takes no host for all addresses, and 0 for no address, where a server listens", () => {
  const metrics = (text: string) => resolveValues(TABLE, { metrics: text }, none).metrics;
  expect(metrics("0")).toBeUndefined();
  expect(metrics(":0")).toEqual({ kind: "tcp", host: "", port: 0 });
  expect(metrics("127.0.0.1:8383")).toEqual({ kind: "tcp", host: "127.0.0.1", port: 8383 });
  for (const wrong of ["8080", ":99999", ":http"]) expect(() => metrics(wrong)).toThrow("--metrics: ");
  expect(() => resolveValues(TABLE, { addresses: [":1"] }, none)).toThrow("the host is missing");
});

Deno.test("resolveValues() reads a variable of another name where the row names one", () => {
  const env = (name: string) => (name === "NAMESPACES" ? "a, b" : undefined);
  expect(resolveValues(TABLE, {}, env).namespaces).toEqual(["a", "b"]);
});

Deno.test("resolveValues() reads numbers and durations strictly", () => {
  expect(resolveValues(TABLE, { count: "12", wait: "1m30s" }, none)).toMatchObject({ count: 12, wait: 90_000 });
  for (const count of ["-1", "1.5", "0x10", "1e3", ""]) {
    expect(() => resolveValues(TABLE, { count }, none)).toThrow("--count");
  }
});

Deno.test("parseDuration() knows ms, s, m and h", () => {
  const texts = ["0", "0s", "250ms", "60s", "1.5s", "1h30m", "5", "s", "1d", "-1s", "1s 2s", ""];
  expect(texts.map(parseDuration)).toEqual([
    0,
    0,
    250,
    60_000,
    1500,
    5_400_000,
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});
