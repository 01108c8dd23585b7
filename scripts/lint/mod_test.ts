import { expect } from "expect";
import plugin from "./mod.ts";

const ROOT = decodeURIComponent(new URL("../../", import.meta.url).pathname);

/** The messages of the plugin for one file, each with the short name of its rule. */
function lint(path: string, source: string): string[] {
  return Deno.lint.runPlugin(plugin, ROOT + path, source)
    .map(({ id, message }) => `${id.replace("chancery/", "")}: ${message}`);
}

Deno.test("layer-order names both sides of an import that goes up", () => {
  expect(lint("src/base/a.ts", 'import { x } from "../xds/mod.ts";')).toEqual([
    'layer-order: "src/base/a.ts" (base, rank 0) must not import "src/xds/mod.ts" (xds, rank 3): imports go to lower ranks only',
  ]);
});

Deno.test("layer-order refuses an import within one rank", () => {
  expect(lint("src/api/a.ts", 'export * from "../envoy/mod.ts";')).toHaveLength(1);
  expect(lint("src/store/local/a.ts", 'export type { A } from "../../xds/mod.ts";')).toHaveLength(1);
});

Deno.test("layer-order asks for the door of the other folder", () => {
  expect(lint("src/xds/a.ts", 'import { x } from "../base/clock.ts";')).toEqual([
    'layer-order: "src/xds/a.ts" must not import "src/base/clock.ts": the door of "base" is its mod.ts',
  ]);
  expect(lint("src/xds/a.ts", 'import { x } from "../base/yaml/mod.ts"; import { y } from "../base/mod.ts";')).toEqual(
    [],
  );
});

Deno.test("layer-order sees dynamic imports and imports in types", () => {
  expect(lint("src/base/a.ts", 'const x = await import("../cli/mod.ts");')).toHaveLength(1);
  expect(lint("src/base/a.ts", 'type X = import("../cli/mod.ts").X;')).toHaveLength(1);
});

Deno.test("layer-order leaves siblings alone", () => {
  expect(lint("src/xds/server/a.ts", 'import { x } from "../call.ts"; import { y } from "./b.ts";')).toEqual([]);
});

Deno.test("layer-order lets the top-level files use every door but nothing behind it", () => {
  expect(lint("mod.ts", 'export * from "./src/xds/mod.ts";')).toEqual([]);
  expect(lint("cli.ts", 'import { x } from "./src/cli/options.ts";')).toHaveLength(1);
});

Deno.test("layer-order refuses a folder without a rank", () => {
  expect(lint("src/misc/a.ts", "export {};")).toEqual(['layer-order: "src/misc/a.ts" is in no folder that has a rank']);
  expect(lint("src/cli/a.ts", 'import "../misc/mod.ts";')).toHaveLength(1);
});

Deno.test("layer-order lets only tests import from tests", () => {
  expect(lint("src/store/a.ts", 'import { x } from "../../tests/conformance/store.ts";')).toHaveLength(1);
  expect(lint("src/store/a_test.ts", 'import { x } from "../../tests/conformance/store.ts";')).toEqual([]);
});

Deno.test("library-home keeps a library in its folder", () => {
  expect(lint("src/xds/a.ts", 'import { x } from "@grpc/grpc-js";')).toEqual([
    'library-home: "src/xds/a.ts" must not import "@grpc/grpc-js": its place is src/xds/server',
  ]);
  expect(lint("src/xds/server/a.ts", 'import { x } from "@grpc/grpc-js/build/src/server.js";')).toEqual([]);
  expect(lint("src/envoy/wire/a.ts", 'import { x } from "protobufjs/minimal.js";')).toEqual([]);
  expect(lint("src/envoy/a.ts", 'import { x } from "npm:yaml@2";')).toHaveLength(1);
});

Deno.test("library-home refuses a library that has no home", () => {
  expect(lint("src/cli/a.ts", 'import { x } from "left-pad";')).toEqual([
    'library-home: "src/cli/a.ts" imports "left-pad", which has no place in scripts/lint/layers.ts',
  ]);
});

Deno.test("library-home lets tests use what they like", () => {
  expect(lint("src/cli/a_test.ts", 'import { expect } from "expect";')).toEqual([]);
});

const IMPURE = [
  'Deno.readTextFileSync("x")',
  'fetch("http://x")',
  "setTimeout(() => {}, 1)",
  "setInterval(() => {}, 1)",
  "Date.now()",
  "new Date()",
  "Date()",
  "performance.now()",
  "crypto.randomUUID()",
  "Math.random()",
  'console.log("x")',
  "process.exit(1)",
  "globalThis.setTimeout(() => {}, 1)",
  'import { x } from "node:fs"',
  "const f = { setTimeout }",
  "let x: Deno.Conn",
];

for (const source of IMPURE) {
  Deno.test(`purity refuses ${source}`, () => {
    expect(lint("src/xds/a.ts", source)).toEqual([
      expect.stringMatching(/^purity: "src\/xds\/a.ts" is pure and must not/),
    ]);
    expect(lint("src/xds/server/a.ts", source)).toEqual([]);
    expect(lint("src/xds/a_test.ts", source)).toEqual([]);
  });
}

Deno.test("purity knows a member, a parameter and a type from the global", () => {
  const source = `
    import type { X509Certificate } from "node:crypto";
    interface Options { fetch: (url: string) => void; performance(): number }
    export function load(options: Options, fetch = options.fetch, { console }: { console: number }) {
      const performance = options.performance();
      fetch("x");
      return new Date(performance).getTime() + Math.max(console, 1);
    }`;
  expect(lint("src/xds/a.ts", source)).toEqual([]);
});

Deno.test("purity knows an edge that is a single file", () => {
  expect(lint("src/base/system_clock.ts", "Date.now()")).toEqual([]);
  expect(lint("src/base/system_clock_more.ts", "Date.now()")).toHaveLength(1);
});

Deno.test("function-declaration refuses arrow functions at the top only", () => {
  expect(lint("src/xds/a.ts", "export const f = () => 1;")).toEqual([
    'function-declaration: Declare the top-level function "f" with the "function" keyword',
  ]);
  expect(lint("src/xds/a.ts", "const f = () => 1;")).toHaveLength(1);
  expect(lint("src/xds/a.ts", "function g() { const f = () => 1; return [f, () => 2]; }")).toEqual([]);
});

Deno.test("hash-private refuses the keyword except on a constructor", () => {
  const [start, end] = ["class A { ", " }"];
  expect(lint("src/xds/a.ts", `${start}private x = 1;${end}`)).toHaveLength(1);
  expect(lint("src/xds/a.ts", `${start}private x() {}${end}`)).toHaveLength(1);
  expect(lint("src/xds/a.ts", `${start}constructor(private readonly x: number) {}${end}`)).toHaveLength(1);
  expect(lint("src/xds/a.ts", `${start}private constructor() {} #x = 1; protected y = 2;${end}`)).toEqual([]);
});

Deno.test("folder-name refuses names that say nothing", () => {
  expect(lint("src/xds/utils/a.ts", "export {};")).toEqual([
    'folder-name: "utils" says nothing: name the folder after what its files are about',
  ]);
  expect(lint("tests/helpers/a.ts", "export {};")).toHaveLength(1);
});

Deno.test("deno lint itself reports the plugin's rules", async () => {
  const copy = await Deno.makeTempDir();
  try {
    await Deno.mkdir(`${copy}/scripts/lint`, { recursive: true });
    await Deno.mkdir(`${copy}/src/base`, { recursive: true });
    for await (const { name } of Deno.readDir(`${ROOT}/scripts/lint`)) {
      if (!name.endsWith("_test.ts")) {
        await Deno.copyFile(`${ROOT}/scripts/lint/${name}`, `${copy}/scripts/lint/${name}`);
      }
    }
    const { lint } = JSON.parse(await Deno.readTextFile(`${ROOT}/deno.json`));
    await Deno.writeTextFile(`${copy}/deno.json`, JSON.stringify({ lint }));
    await Deno.writeTextFile(`${copy}/src/base/a.ts`, 'import "../xds/mod.ts";\nexport const at = Date.now();\n');
    const run = await new Deno.Command(Deno.execPath(), {
      args: ["lint", "--json"],
      cwd: copy,
      stdout: "piped",
      stderr: "piped",
    }).output();
    const { diagnostics } = JSON.parse(new TextDecoder().decode(run.stdout));
    expect(diagnostics.map(({ code }: { code: string }) => code).sort()).toEqual([
      "chancery/layer-order",
      "chancery/purity",
    ]);
    expect(run.code).toBe(1);
  } finally {
    await Deno.remove(copy, { recursive: true });
  }
});
