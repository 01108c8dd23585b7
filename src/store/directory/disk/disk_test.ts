import { expect } from "expect";
import { systemClock } from "../../../base/mod.ts";
import { openMemoryStore } from "../../memory/mod.ts";
import { openDirectory } from "../mod.ts";
import type { DirectoryReport } from "../report.ts";
import { openDisk } from "./disk.ts";

const KINDS = [{ apiVersion: "x/v1", kind: "Config" }];
const DEADLINE_MS = 10_000;

async function inDirectory(run: (directory: string) => Promise<void>): Promise<void> {
  const directory = await Deno.makeTempDir();
  try {
    await run(directory);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

function write(directory: string, files: Record<string, string>): void {
  for (const [name, text] of Object.entries(files)) {
    Deno.mkdirSync(`${directory}/${name}`.replace(/\/[^/]*$/, ""), { recursive: true });
    Deno.writeTextFileSync(`${directory}/${name}`, text);
  }
}

function config(name: string, size = 1): string {
  return `apiVersion: x/v1\nkind: Config\nmetadata: {name: ${name}}\nspec: {size: ${size}}\n`;
}

async function look(directory: string): Promise<Record<string, string>> {
  const { files, unreadable } = await openDisk(directory).read();
  return Object.fromEntries([
    ...files.map(({ name, text, problem }) => [name, text ?? `! ${problem}`]),
    ...unreadable.map(({ name, problem }) => [`${name}/`, `! ${problem}`]),
  ]);
}

Deno.test("read() takes manifests of all folders and leaves hidden files, backups and other files alone", () =>
  inDirectory(async (directory) => {
    const left = [
      ".hidden.yaml",
      ".a.yaml.swp",
      "a.yaml~",
      "a.yaml.tmp",
      "#a.yaml#",
      ".#a.yaml",
      "a.yaml.bak",
      "README.md",
      ".git/x.yaml",
      "4913",
    ];
    write(directory, Object.fromEntries(left.map((name) => [name, "x"])));
    write(directory, { "a.yaml": "1", "b.yml": "2", "c.json": "3", "sub/deep/d.YAML": "4", "sub.d/e.yaml": "5" });
    expect(await look(directory)).toEqual({
      "a.yaml": "1",
      "b.yml": "2",
      "c.json": "3",
      "sub/deep/d.YAML": "4",
      "sub.d/e.yaml": "5",
    });
  }));

Deno.test("read() says of each file why it cannot be read, and never waits for a pipe", () =>
  inDirectory(async (directory) => {
    write(directory, { "ok.yaml": "1" });
    Deno.writeFileSync(`${directory}/latin.yaml`, new Uint8Array([0x61, 0xe9]));
    Deno.writeFileSync(`${directory}/bom.yaml`, new Uint8Array([0xef, 0xbb, 0xbf, 0x61]));
    Deno.symlinkSync("nowhere", `${directory}/dangling.yaml`);
    await new Deno.Command("mkfifo", { args: [`${directory}/pipe.yaml`] }).output();
    Deno.mkdirSync(`${directory}/sub`);
    Deno.symlinkSync("..", `${directory}/sub/loop`);
    Deno.symlinkSync(directory, `${directory}/self`);
    using huge = Deno.openSync(`${directory}/huge.yaml`, { write: true, create: true });
    huge.truncateSync(40 * 1024 * 1024);
    expect(await look(directory)).toEqual({
      "bom.yaml": "a",
      "dangling.yaml": "! it does not exist",
      "huge.yaml": "! it is larger than 33554432 bytes",
      "latin.yaml": "! it is no UTF-8 text",
      "ok.yaml": "1",
      "pipe.yaml": "! it is no regular file",
    });
  }));

Deno.test("read() tells of a directory that is not there", () =>
  inDirectory(async (directory) => {
    expect(await look(`${directory}/none`)).toEqual({ "/": "! it does not exist" });
    write(directory, { file: "x" });
    expect((await look(`${directory}/file`))["/"]).toMatch(/^! /);
  }));

/** Follows a directory and waits for what the store is to hold. */
async function follow(
  dir: string,
  run: (scene: { holds: (want: Record<string, number>) => Promise<void>; reports: DirectoryReport[] }) => Promise<void>,
) {
  await using store = openMemoryStore({ clock: systemClock });
  const reports: DirectoryReport[] = [];
  let wake = () => {};
  const onReport = (report: DirectoryReport) => {
    reports.push(report);
    wake();
  };
  const { directory } = await openDirectory({ dir, store, clock: systemClock, kinds: KINDS, onReport });
  const stored = async () => {
    const { items } = await store.list("Config");
    return JSON.stringify(
      Object.fromEntries(items.map(({ metadata, spec }) => [metadata.name, (spec as { size: number }).size])),
    ); // config() put it there
  };
  const holds = async (want: Record<string, number>) => {
    const late = Promise.withResolvers<void>();
    const timer = setTimeout(late.resolve, DEADLINE_MS);
    const start = performance.now();
    while (await stored() !== JSON.stringify(want) && performance.now() - start < DEADLINE_MS) {
      await Promise.race([late.promise, new Promise<void>((resolve) => wake = resolve)]);
    }
    clearTimeout(timer);
    expect(await stored()).toBe(JSON.stringify(want));
  };
  try {
    await run({ holds, reports });
  } finally {
    await directory.close();
  }
}

Deno.test("a change on disk is in the store well within a second, a broken file changes nothing", () =>
  inDirectory(async (directory) => {
    write(directory, { "a.yaml": config("one") });
    await follow(directory, async ({ holds, reports }) => {
      await holds({ one: 1 });
      const start = performance.now();
      write(directory, { "a.yaml": config("one", 2) });
      await holds({ one: 2 });
      expect(performance.now() - start).toBeLessThan(1000);
      write(directory, { "sub/b.yaml": config("two") });
      await holds({ one: 2, two: 1 });
      write(directory, { "sub/b.yaml": "{", "c.yaml": config("three") });
      await holds({ one: 2, three: 1, two: 1 });
      expect(reports.at(-1)!.findings.length).toBeGreaterThan(0);
      Deno.removeSync(`${directory}/sub`, { recursive: true });
      await holds({ one: 2, three: 1 });
      Deno.renameSync(`${directory}/a.yaml`, `${directory}/a.yaml~`);
      await holds({ three: 1 });
    });
  }));

Deno.test("reading the directory is no change of it: without edits there is one scan", () =>
  inDirectory(async (directory) => {
    write(directory, { "a.yaml": config("one"), "data/chancery.db-wal": "x" });
    await follow(directory, async ({ holds, reports }) => {
      await holds({ one: 1 });
      // noise beside the manifests; the edit after it shows how far the watch has come
      write(directory, { "data/chancery.db-wal": "y", ".a.yaml.swp": "z", "a.yaml~": "z" });
      write(directory, { "a.yaml": config("one", 2) });
      await holds({ one: 2 });
      expect(reports.length).toBeLessThanOrEqual(3);
    });
  }));

Deno.test("a mounted ConfigMap changes all its files at once", () =>
  inDirectory(async (directory) => {
    const publish = (version: string, files: Record<string, string>) => {
      write(`${directory}/..${version}`, files);
      Deno.symlinkSync(`..${version}`, `${directory}/..data_tmp`);
      Deno.renameSync(`${directory}/..data_tmp`, `${directory}/..data`);
      for (const name of Object.keys(files)) {
        try {
          Deno.symlinkSync(`..data/${name}`, `${directory}/${name}`);
        } catch (thrown) {
          if (!(thrown instanceof Deno.errors.AlreadyExists)) throw thrown;
        }
      }
    };
    publish("2024_01", { "a.yaml": config("one"), "b.yaml": config("two") });
    await follow(directory, async ({ holds }) => {
      await holds({ one: 1, two: 1 });
      publish("2024_02", { "a.yaml": config("one", 2), "b.yaml": config("two", 2) });
      Deno.removeSync(`${directory}/..2024_01`, { recursive: true });
      await holds({ one: 2, two: 2 });
      // a key that goes: the kubelet removes its link after the switch
      publish("2024_03", { "a.yaml": config("one", 3) });
      Deno.removeSync(`${directory}/b.yaml`);
      await holds({ one: 3 });
    });
  }));

Deno.test("a directory that went away keeps its objects and is followed again when it is back", () =>
  inDirectory(async (directory) => {
    const dir = `${directory}/conf`;
    write(dir, { "a.yaml": config("one") });
    await using store = openMemoryStore({ clock: systemClock });
    const { directory: followed } = await openDirectory({ dir, store, clock: systemClock, kinds: KINDS });
    const names = async () => (await store.list("Config")).items.map(({ metadata }) => metadata.name);
    Deno.removeSync(dir, { recursive: true });
    expect((await followed.rescan()).findings[0]!.message).toContain("it does not exist; its objects stay");
    expect(await names()).toEqual(["one"]);
    write(dir, { "b.yaml": config("two") });
    await followed.rescan();
    expect(await names()).toEqual(["two"]);
    // the watch is on the new directory now
    const { promise, resolve } = Promise.withResolvers<void>();
    const stop = new AbortController();
    await store.watch(["Config"], ({ object }) => object.metadata.name === "three" && resolve(), stop);
    write(dir, { "c.yaml": config("three") });
    await promise;
    stop.abort();
    await followed.close();
  }));

Deno.test("a directory that was moved away and back, or linked anew, is followed within seconds", () =>
  inDirectory(async (root) => {
    const directory = `${root}/conf`;
    write(directory, { "a.yaml": config("one") });
    await follow(directory, async ({ holds }) => {
      await holds({ one: 1 });
      // at once: it is the same directory, but its watch is lost
      Deno.renameSync(directory, `${root}/away`);
      Deno.renameSync(`${root}/away`, directory);
      write(directory, { "a.yaml": config("one", 2) });
      await holds({ one: 2 });
      Deno.renameSync(directory, `${root}/away`);
      write(`${root}/away`, { "a.yaml": config("one", 3) });
      write(`${root}/other`, { "a.yaml": config("one", 4) });
      Deno.symlinkSync(`${root}/other`, directory);
      await holds({ one: 4 });
      write(`${root}/third`, { "a.yaml": config("one", 3) });
      Deno.symlinkSync(`${root}/third`, `${root}/next`);
      Deno.renameSync(`${root}/next`, directory);
      await holds({ one: 3 });
      write(`${root}/third`, { "a.yaml": config("one", 5) });
      await holds({ one: 5 });
    });
  }));
