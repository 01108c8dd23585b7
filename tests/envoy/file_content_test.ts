/** What Envoy makes of the content of files, at its start and later: what the checks and the order of the loader rely on. */
import { expect } from "expect";
import { findEnvoy } from "../../scripts/envoy/mod.ts";
import { stringifyYaml } from "../../src/base/yaml/mod.ts";
import * as xds from "../cluster/loader/xds.ts";
import { eventually, type Fields, freePort, type RunningEnvoy, startEnvoy } from "./harness/mod.ts";
import { layerResponse, layersBootstrap, layerValues } from "./runtime_layers.ts";

/** A content that takes the place of the one before, and what becomes of it. */
interface Row {
  readonly name: string;
  readonly content: string;
  /** Which counter of the subscription rises. */
  readonly counted: "success" | "failure" | "rejected";
  /** Names of the clusters or listeners then. */
  readonly present: readonly string[];
  /** What else is so then. */
  readonly then?: (envoy: RunningEnvoy) => Promise<void>;
}

function cluster(name: string, more: Fields = {}): Fields {
  return { ...xds.staticCluster(name, 1), ...more };
}

/** A cluster whose endpoint has a host name where its type allows none. */
const HOST_NAME = JSON.parse(JSON.stringify(cluster("bad")).replace("127.0.0.1", "localhost")) as Fields;

function versioned(version_info: string, text: string): string {
  return JSON.stringify({ version_info, ...JSON.parse(text) as Fields });
}

const CLUSTERS: readonly Row[] = [
  { name: "broken YAML changes nothing", content: "resources: [", counted: "failure", present: ["a"] },
  { name: "an empty file changes nothing", content: "", counted: "failure", present: ["a"] },
  {
    name: "a type of v2 changes nothing",
    content: xds.response("envoy.api.v2.Cluster", [cluster("b")]),
    counted: "failure",
    present: ["a"],
  },
  {
    name: "an unknown field is counted and otherwise left out",
    content: xds.cds(cluster("a"), cluster("b", { no_such_field: 1 })),
    counted: "success",
    present: ["a", "b"],
    then: async (envoy) => expect(await envoy.stat("server.dynamic_unknown_fields")).toBe(1),
  },
  {
    name: "a value against a rule of its field has the whole file refused",
    content: xds.cds(cluster("a"), cluster("b"), cluster("c"), cluster("bad", { connect_timeout: "-1s" })),
    counted: "rejected",
    present: ["a", "b"],
  },
  {
    name: "what cannot be made is refused, and the rest of the file applied",
    content: xds.cds(cluster("a"), cluster("b"), cluster("c"), HOST_NAME),
    counted: "rejected",
    present: ["a", "b", "c"],
  },
  {
    name: "a name that is there twice is refused, and the rest of the file applied",
    content: xds.cds(cluster("a"), cluster("d"), cluster("d")),
    counted: "rejected",
    present: ["a", "d"],
  },
  { name: "a version", content: versioned("1", xds.cds(cluster("a"))), counted: "success", present: ["a"] },
  {
    name: "the same version with other content is applied",
    content: versioned("1", xds.cds(cluster("b"))),
    counted: "success",
    present: ["b"],
  },
  { name: "a list without resources removes them all", content: xds.cds(), counted: "success", present: [] },
];

/** A listener that needs no routes; without filter chains it cannot be made. */
function listener(name: string, more: Fields = {}): Fields {
  const typed_config = {
    "@type": "type.googleapis.com/envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy",
    ...{ stat_prefix: name, cluster: "a" },
  };
  return {
    name,
    address: { socket_address: { address: "127.0.0.1", port_value: freePort() } },
    filter_chains: [{ filters: [{ name: "tcp", typed_config }] }],
    ...more,
  };
}

const LISTENERS: readonly Row[] = [
  { name: "a listener", content: xds.lds(listener("one")), counted: "success", present: ["one"] },
  {
    name: "a listener that cannot be made is refused with a reason, and the rest of the file applied",
    content: xds.lds(listener("two"), listener("bad", { filter_chains: [] })),
    counted: "rejected",
    present: ["two"],
    then: async (envoy) => {
      const { configs } = JSON.parse(await envoy.admin("/config_dump?resource=dynamic_listeners")) as {
        configs: readonly { readonly name: string; readonly error_state?: { readonly details: string } }[];
      };
      expect(configs.find(({ name }) => name === "bad")?.error_state?.details).toContain("no filter chains");
    },
  },
];

/** As the loader does it. */
function put(path: string, text: string): void {
  Deno.writeTextFileSync(`${path}.new`, text);
  Deno.renameSync(`${path}.new`, path);
}

async function listenerNames(envoy: RunningEnvoy): Promise<string[]> {
  const text = await envoy.admin("/listeners");
  return text.split("\n").filter((line) => line !== "").map((line) => line.slice(0, line.indexOf("::"))).sort();
}

/** Puts a file in place and waits until the counter says that it was read. */
async function replaced(
  envoy: RunningEnvoy,
  { path, content, counter }: { readonly path: string; readonly content: string; readonly counter: string },
): Promise<void> {
  const before = await envoy.stat(counter);
  put(path, content);
  await eventually(async () => await envoy.stat(counter) > before, {
    what: `${counter} to rise`,
    deadlineMs: 30_000,
    explain: () => envoy.process.tail(),
  });
}

/** Waits until these are present, no more and no less. */
async function shows(what: string, present: readonly string[], names: () => Promise<string[]>): Promise<void> {
  await eventually(async () => (await names()).join() === present.join(), {
    what: `${what} ${present.join()}`,
    deadlineMs: 30_000,
    explain: async () => (await names()).join(),
  });
}

async function inFolder(test: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "content-" });
  try {
    await test(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("what Envoy makes of files that take the place of others", async (t) => {
  await inFolder(async (folder) => {
    const root = `${folder}/runtime`;
    Deno.mkdirSync(`${root}/current`, { recursive: true });
    const [cds, lds] = [`${root}/current/cds.yaml`, `${root}/current/lds.yaml`];
    put(cds, xds.cds(cluster("a")));
    put(lds, xds.lds());
    await using envoy = await startEnvoy({ bootstrap: xds.bootstrap(root) });
    await eventually(() => envoy.ready(), { what: "Envoy to be ready", deadlineMs: 30_000 });

    for (const { name, content, counted, present, then } of CLUSTERS) {
      await t.step(name, async () => {
        await replaced(envoy, { path: cds, content, counter: `cluster_manager.cds.update_${counted}` });
        await shows("clusters", present, () => envoy.clusterNames());
        await then?.(envoy);
      });
    }
    await t.step("a file that is removed changes nothing, and the next one counts", async () => {
      const success = (type: string) => `${type}.update_success`;
      await replaced(envoy, { path: cds, content: xds.cds(cluster("a")), counter: success("cluster_manager.cds") });
      Deno.removeSync(cds);
      // Envoy is told of changes in their order: after this one it has heard of the other.
      await replaced(envoy, { path: lds, content: xds.lds(), counter: success("listener_manager.lds") });
      expect(await envoy.clusterNames()).toEqual(["a"]);
      const content = xds.cds(cluster("a"), cluster("b"));
      await replaced(envoy, { path: cds, content, counter: success("cluster_manager.cds") });
      expect(await envoy.clusterNames()).toEqual(["a", "b"]);
    });
    for (const { name, content, counted, present, then } of LISTENERS) {
      await t.step(name, async () => {
        await replaced(envoy, { path: lds, content, counter: `listener_manager.lds.update_${counted}` });
        await shows("listeners", present, () => listenerNames(envoy));
        await then?.(envoy);
      });
    }
  });
});

/** A file at the start, whether it counts, and how it is named in the config source. */
interface StartRow {
  readonly name: string;
  readonly file: string;
  readonly content: (key: string) => string;
  readonly source?: (path: string) => Fields;
  readonly taken: boolean;
}

function json(key: string): string {
  return JSON.stringify(layerResponse(key, "taken"));
}

function yaml(key: string): string {
  return stringifyYaml(layerResponse(key, "taken"));
}

const AT_START: readonly StartRow[] = [
  { name: "YAML in .yaml", file: "f.yaml", content: yaml, taken: true },
  { name: "YAML in .yml", file: "f.yml", content: yaml, taken: true },
  { name: "JSON in .yaml", file: "j.yaml", content: json, taken: true },
  { name: "JSON in .json", file: "f.json", content: json, taken: true },
  { name: "JSON without an extension", file: "j", content: json, taken: true },
  { name: "JSON in .conf", file: "j.conf", content: json, taken: true },
  { name: "YAML without an extension", file: "f", content: yaml, taken: false },
  { name: "YAML in .txt", file: "f.txt", content: yaml, taken: false },
  { name: "a file that cannot be parsed", file: "broken.yaml", content: () => "resources: [", taken: false },
  {
    name: "a field unknown to an Envoy that is to refuse them",
    file: "unknown.yaml",
    content: (key) => {
      const { resources: [resource] } = layerResponse(key, "taken") as { resources: [Fields] };
      return JSON.stringify({ resources: [{ ...resource, no_such_field: 1 }] });
    },
    taken: false,
  },
  {
    name: "a config source with the older path",
    file: "older.yaml",
    content: json,
    source: (path) => ({ resource_api_version: "V3", path }),
    taken: true,
  },
  {
    name: "a config source without the version of the API",
    file: "silent.yaml",
    content: json,
    source: (path) => ({ path_config_source: { path } }),
    taken: true,
  },
];

function source(path: string): Fields {
  return { resource_api_version: "V3", path_config_source: { path } };
}

Deno.test("what Envoy makes of the files that are there when it starts, and it starts whatever they hold", async (t) => {
  await inFolder(async (folder) => {
    const cases = AT_START.map((row, index) => ({ ...row, key: `row_${index}`, path: `${folder}/${row.file}` }));
    for (const { key, path, content } of cases) Deno.writeTextFileSync(path, content(key));
    await using envoy = await startEnvoy({
      bootstrap: layersBootstrap(Object.fromEntries(cases.map((one) => [one.key, (one.source ?? source)(one.path)]))),
      args: ["--reject-unknown-dynamic-fields"],
    });
    await eventually(() => envoy.ready(), {
      what: "Envoy to be ready",
      deadlineMs: 30_000,
      explain: () => envoy.process.tail(),
    });
    const values = await layerValues(envoy);
    for (const { name, key, taken } of cases) {
      await t.step(`${name}: ${taken ? "taken" : "left out"}`, () => {
        expect(values.get(key)).toBe(taken ? "taken" : undefined);
      });
    }
  });
});

/** Ways to name a file that is not there. */
const MISSING: Readonly<Record<string, (folder: string) => Fields>> = {
  "by path_config_source": (folder) => source(`${folder}/missing.yaml`),
  "with a watched directory": (folder) => ({
    path_config_source: { path: `${folder}/missing.yaml`, watched_directory: { path: folder } },
  }),
  "by the older path": (folder) => ({ path: `${folder}/missing.yaml` }),
};

for (const [how, sourceIn] of Object.entries(MISSING)) {
  Deno.test(`Envoy does not start where a file is missing, named ${how}`, async () => {
    await inFolder(async (folder) => {
      Deno.writeTextFileSync(`${folder}/bootstrap.json`, JSON.stringify(layersBootstrap({ any: sourceIn(folder) })));
      const { code, stderr } = await new Deno.Command(await findEnvoy((line) => console.error(line)), {
        args: ["-c", `${folder}/bootstrap.json`, "--disable-hot-restart", "--concurrency", "1"],
        stdin: "null",
        stdout: "null",
        stderr: "piped",
        signal: AbortSignal.timeout(60_000),
      }).output();
      expect(code).toBe(1);
      expect(new TextDecoder().decode(stderr)).toContain("must refer to an existing path");
    });
  });
}
