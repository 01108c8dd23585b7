/** Which replacement of a file Envoy notices: what the layouts of the loader rely on, and what they must not be. */
import { expect } from "expect";
import { eventually, startEnvoy } from "./harness/mod.ts";
import { layerResponse, layersBootstrap, layerValues } from "./runtime_layers.ts";

/** A way to replace a file, within a folder of its own. */
interface Row {
  readonly name: string;
  /** What Envoy is told to read; `file.yaml` when absent. */
  readonly path?: string;
  /** What it is told to watch, where it is told so; the folder when absent. */
  readonly watched?: string;
  /** Writes the first content. */
  readonly prepare?: (folder: string, text: string) => void;
  readonly replace: (folder: string, text: string) => void;
  /** Whether it is noticed, without and with a watched directory. */
  readonly noticed: readonly [boolean, boolean];
}

const write = Deno.writeTextFileSync;

/** Content behind links and folders, as `root/current/file.yaml`. */
function inVersion(folder: string, version: string, text: string): void {
  Deno.mkdirSync(`${folder}/${version}`);
  write(`${folder}/${version}/file.yaml`, text);
}

/** One link swapped by a rename. */
function swap(folder: string, link: string, target: string): void {
  Deno.symlinkSync(target, `${folder}/new-link`);
  Deno.renameSync(`${folder}/new-link`, `${folder}/${link}`);
}

const SWAPPED_PARENT = {
  path: "current/file.yaml",
  prepare: (folder: string, text: string) => {
    inVersion(folder, "v1", text);
    Deno.symlinkSync("v1", `${folder}/current`);
  },
  replace: (folder: string, text: string) => {
    inVersion(folder, "v2", text);
    swap(folder, "current", "v2");
  },
};

const ROWS: readonly Row[] = [
  {
    name: "a rename within the directory",
    replace: (folder, text) => {
      write(`${folder}/temporary`, text);
      Deno.renameSync(`${folder}/temporary`, `${folder}/file.yaml`);
    },
    noticed: [true, true],
  },
  {
    name: "a rename from a directory beside it, as by --layout files",
    path: "current/file.yaml",
    watched: "current",
    prepare: (folder, text) => {
      Deno.mkdirSync(`${folder}/new`);
      inVersion(folder, "current", text);
    },
    replace: (folder, text) => {
      write(`${folder}/new/file.yaml`, text);
      Deno.renameSync(`${folder}/new/file.yaml`, `${folder}/current/file.yaml`);
    },
    noticed: [true, true],
  },
  {
    name: "a link to it swapped by a rename",
    prepare: (folder, text) => {
      write(`${folder}/one`, text);
      Deno.symlinkSync("one", `${folder}/file.yaml`);
    },
    replace: (folder, text) => {
      write(`${folder}/two`, text);
      swap(folder, "file.yaml", "two");
    },
    noticed: [true, true],
  },
  { name: "a link to its directory swapped, as by --layout atomic", ...SWAPPED_PARENT, noticed: [false, true] },
  {
    name: "the same, but with the link itself watched",
    ...SWAPPED_PARENT,
    watched: "current",
    noticed: [false, false],
  },
  {
    name: "a volume of the kubelet",
    prepare: (folder, text) => {
      inVersion(folder, "..1", text);
      Deno.symlinkSync("..1", `${folder}/..data`);
      Deno.symlinkSync("..data/file.yaml", `${folder}/file.yaml`);
    },
    replace: (folder, text) => {
      inVersion(folder, "..2", text);
      swap(folder, "..data", "..2");
      Deno.removeSync(`${folder}/..1`, { recursive: true });
    },
    noticed: [false, true],
  },
  { name: "a write in place", replace: (folder, text) => write(`${folder}/file.yaml`, text), noticed: [false, false] },
  {
    name: "removed and written anew",
    replace: (folder, text) => {
      Deno.removeSync(`${folder}/file.yaml`);
      write(`${folder}/file.yaml`, text);
    },
    noticed: [false, false],
  },
  {
    name: "removed and linked anew",
    replace: (folder, text) => {
      write(`${folder}/two`, text);
      Deno.removeSync(`${folder}/file.yaml`);
      Deno.linkSync(`${folder}/two`, `${folder}/file.yaml`);
    },
    noticed: [false, false],
  },
  {
    name: "a write in place, then a rename of something else",
    replace: (folder, text) => {
      write(`${folder}/file.yaml`, text);
      write(`${folder}/temporary`, "");
      Deno.renameSync(`${folder}/temporary`, `${folder}/other`);
    },
    noticed: [false, true],
  },
  {
    name: "its directory replaced by a rename of another",
    path: "current/file.yaml",
    prepare: (folder, text) => inVersion(folder, "current", text),
    replace: (folder, text) => {
      inVersion(folder, "next", text);
      Deno.renameSync(`${folder}/current`, `${folder}/last`);
      Deno.renameSync(`${folder}/next`, `${folder}/current`);
    },
    noticed: [false, true],
  },
  {
    name: "its directory removed and made anew",
    path: "current/file.yaml",
    watched: "current",
    prepare: (folder, text) => inVersion(folder, "current", text),
    replace: (folder, text) => {
      Deno.removeSync(`${folder}/current`, { recursive: true });
      Deno.mkdirSync(`${folder}/current`);
      write(`${folder}/temporary`, text);
      Deno.renameSync(`${folder}/temporary`, `${folder}/current/file.yaml`);
    },
    noticed: [false, false],
  },
];

/** A row, with or without a watched directory; its value of the runtime has the same name as its layer. */
interface Case extends Row {
  readonly key: string;
  readonly folder: string;
  readonly isWatched: boolean;
}

Deno.test("which replacement of a file Envoy notices, with a watched directory and without", async (t) => {
  const root = await Deno.makeTempDir({ prefix: "replaced-" });
  try {
    const cases = ROWS.flatMap((row, index) =>
      [false, true].map((isWatched): Case => {
        const key = `row_${index}_${isWatched ? "watched" : "plain"}`;
        return { ...row, key, folder: `${root}/${key}`, isWatched };
      })
    );
    const last: Case = { ...ROWS[0]!, key: "last", folder: `${root}/last`, isWatched: false };
    for (const one of [...cases, last]) {
      Deno.mkdirSync(one.folder);
      const prepare = one.prepare ?? ((folder, text) => write(`${folder}/file.yaml`, text));
      prepare(one.folder, contentOf(one, "before"));
    }
    await using envoy = await startEnvoy({ bootstrap: bootstrapOf([...cases, last]) });
    const values = () => layerValues(envoy);
    await eventually(
      async () => [...(await values()).values()].filter((value) => value === "before").length === cases.length + 1,
      {
        what: "the first values",
        deadlineMs: 30_000,
        explain: () => envoy.process.tail(),
      },
    );
    for (const one of cases) one.replace(one.folder, contentOf(one, "after"));
    for (const one of cases.filter(({ noticed, isWatched }) => noticed[isWatched ? 1 : 0])) {
      await eventually(async () => (await values()).get(one.key) === "after", {
        what: `"${one.name}" to be noticed`,
        deadlineMs: 30_000,
      });
    }
    // Envoy is told of changes in their order: whatever it was told of before this one it has looked at.
    last.replace(last.folder, contentOf(last, "after"));
    await eventually(async () => (await values()).get(last.key) === "after", {
      what: "the last one",
      deadlineMs: 30_000,
    });
    const found = await values();
    for (const { name, key, noticed, isWatched } of cases) {
      await t.step(`${name}, ${isWatched ? "watched" : "plain"}`, () => {
        expect(found.get(key)).toBe(noticed[isWatched ? 1 : 0] ? "after" : "before");
      });
    }
  } finally {
    await Deno.remove(root, { recursive: true });
  }
});

function contentOf({ key }: Case, value: string): string {
  return JSON.stringify(layerResponse(key, value));
}

function bootstrapOf(cases: readonly Case[]) {
  return layersBootstrap(Object.fromEntries(cases.map(({ key, folder, path = "file.yaml", watched, isWatched }) => {
    const path_config_source = {
      path: `${folder}/${path}`,
      ...(isWatched && { watched_directory: { path: watched === undefined ? folder : `${folder}/${watched}` } }),
    };
    return [key, { resource_api_version: "V3", path_config_source }];
  })));
}
