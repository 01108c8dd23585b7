import { expect } from "expect";

interface ModuleGraph {
  readonly redirects: Readonly<Record<string, string>>;
  readonly modules: readonly {
    readonly specifier: string;
    readonly dependencies?: readonly {
      readonly specifier: string;
      readonly code?: { readonly specifier?: string };
      readonly isDynamic?: boolean;
    }[];
  }[];
}

/** Everything that is loaded when `entry` is imported; dynamic imports aside, unless they are asked for. */
async function loadedBy(entry: string, { dynamic = false } = {}): Promise<string[]> {
  const path = new URL(entry, import.meta.url).pathname;
  const { stdout } = await new Deno.Command(Deno.execPath(), { args: ["info", "--json", path] }).output();
  const graph = JSON.parse(new TextDecoder().decode(stdout)) as ModuleGraph; // the output of `deno info`
  const byName = new Map(graph.modules.map((module) => [module.specifier, module]));
  const seen = new Set<string>();
  const open = [`file://${path}`];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (seen.has(name)) continue;
    seen.add(name);
    for (const dependency of byName.get(name)?.dependencies ?? []) {
      const target = dependency.code?.specifier;
      if (target !== undefined && (dynamic || dependency.isDynamic !== true)) open.push(target);
    }
  }
  return [...seen];
}

function outside(modules: readonly string[]): string[] {
  return modules.filter((name) => !name.startsWith("file:")).map((name) =>
    name.replace(/^(npm:\/?)?([^@/]+)@.*$/, "$2")
  )
    .sort();
}

Deno.test("the program loads commander and nothing else before a command is chosen", async () => {
  const modules = await loadedBy("./mod.ts");
  expect(outside(modules)).toEqual(["commander", "node:process"]);
  expect(modules.filter((name) => name.includes("/src/cli/commands/"))).toEqual([]);
  expect(modules.length).toBeGreaterThan(10); // the graph was really walked
});

Deno.test("an agent begins without the rest of the program, and with no library or module of Node's", async () => {
  for (const name of ["init_manager", "shutdown_manager", "loader"]) {
    const parts = ["../../cli.ts", `./commands/${name}.ts`, `../agent/${name}/mod.ts`];
    const modules = [...new Set((await Promise.all(parts.map((part) => loadedBy(part)))).flat())];
    expect([name, outside(modules)]).toEqual([name, []]);
    const foreign =
      /\/src\/(api|envoy|xds|store|snapshot|reconcile|app)\/|\/src\/cli\/(program|commands)\.ts|\/protos\//;
    expect([name, modules.filter((module) => foreign.test(module))]).toEqual([name, []]);
    expect(modules.length).toBeLessThan(80);
    // Node's timers, which are those of Deno, are 3 MB; see `agentClock`.
    const own = modules.filter((module) => module.includes("/src/agent/"));
    const timers = own.filter((module) => /\bset(Timeout|Interval)\(/.test(Deno.readTextFileSync(new URL(module))));
    expect([name, own.length > 3, timers]).toEqual([name, true, []]);
  }
  // Deno reads what stands behind literal paths before it begins, whether it is needed or not.
  const read = await loadedBy("../../cli.ts", { dynamic: true });
  expect(read.filter((module) => /\/src\/(agent|app|cli\/commands)\//.test(module))).toEqual([]);
});

for (const [name, wanted] of [["version", []], ["bootstrap", ["node:path"]], ["completion", []]] as const) {
  Deno.test(`chancery ${name} loads no library, no descriptors and no server`, async () => {
    const modules = await loadedBy(`./commands/${name}.ts`);
    expect(outside(modules)).toEqual([...wanted]);
    const heavy = modules.filter((module) =>
      /\/(protos\/.*\.ts|src\/(envoy|xds|store|snapshot|reconcile|app)\/)/.test(module)
    );
    expect(heavy).toEqual([]);
  });
}

for (const name of ["status", "history", "rollback"]) {
  Deno.test(`chancery ${name} runs without library, descriptors, store and server`, async () => {
    const parts = [`./commands/${name}.ts`, `./${name}/run.ts`, "./source/open_source.ts", "./source/admin_source.ts"];
    const modules = (await Promise.all(parts.map((part) => loadedBy(part)))).flat();
    expect([...new Set(outside(modules))]).toEqual(["node:path"]);
    const heavy = /\/(protos\/.*\.ts|src\/(api|envoy|xds|store|snapshot|reconcile|telemetry)\/)/;
    expect(modules.filter((module) => heavy.test(module))).toEqual([]);
    const app = modules.filter((module) => module.includes("/src/app/"));
    expect(app.filter((module) => !module.includes("/src/app/admin/client/"))).toEqual([]);
  });
}

for (const name of ["standalone", "webhook", "backup", "validate", "diff"]) {
  Deno.test(`the table of chancery ${name} is read without loading what the command runs`, async () => {
    expect(outside(await loadedBy(`./commands/${name}.ts`))).toEqual([]);
  });
}

Deno.test("chancery validate loads no server, no store of its own and no Kubernetes client", async () => {
  const modules = await loadedBy("../app/validate/mod.ts");
  expect(outside(modules)).toEqual([
    "ipaddr.js",
    "js-yaml",
    "node:crypto",
    "node:zlib",
    "protobufjs",
    "re2js",
    "typebox",
    "yaml",
  ]);
  expect(modules.filter((name) => /\/src\/(xds|agent|reconcile|pki|store\/(local|kubernetes|memory))\//.test(name)))
    .toEqual([]);
});

Deno.test("chancery webhook loads no xDS server and no store of its own", async () => {
  const modules = await loadedBy("../app/webhook/mod.ts");
  expect(outside(modules)).not.toContain("@grpc/grpc-js");
  const own = modules.filter((name) => /\/src\/(xds|agent|reconcile|pki|store\/local)\//.test(name));
  expect(own.filter((name) => !name.includes("/src/xds/server/tls/"))).toEqual([]);
});

Deno.test("chancery loader loads no library and none of Envoy's words before a file has changed", async () => {
  const modules = await loadedBy("../agent/loader/mod.ts");
  expect(outside(modules)).toEqual([]);
  expect(modules.filter((name) => /\/(protos\/.*\.ts|src\/(envoy|snapshot|api|xds|store|app|cli)\/)/.test(name)))
    .toEqual([]);
});
