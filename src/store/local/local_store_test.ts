import { DatabaseSync } from "node:sqlite";
import { expect } from "expect";
import { type ChanceryError, ManualClock } from "../../base/mod.ts";
import type { ApplyObject, StoredObject } from "../store.ts";
import { backupDataDirectory, type LocalStore, openLocalStore } from "./mod.ts";
import { SqliteBacking } from "./sqlite_backing.ts";

const CANARY = "canary-7f3a9c";
const BY = { fieldManager: "test" };

function secret(name: string, text = CANARY): ApplyObject {
  return { apiVersion: "v1", kind: "Secret", metadata: { name, namespace: "default" }, stringData: { key: text } };
}

function open(directory: string): LocalStore {
  return openLocalStore({ directory, clock: new ManualClock() });
}

async function inDirectory(run: (directory: string) => Promise<void>): Promise<void> {
  const directory = await Deno.makeTempDir();
  try {
    await run(directory);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

function failure(run: () => unknown): ChanceryError {
  try {
    run();
  } catch (thrown) {
    return thrown as ChanceryError; // the store throws nothing else; the tests look at its code
  }
  throw new Error("nothing was thrown");
}

async function contents(store: LocalStore): Promise<readonly StoredObject[]> {
  return (await store.list("Secret")).items;
}

Deno.test("openLocalStore() finds everything again: objects, versions, events, kept bytes", () =>
  inDirectory(async (directory) => {
    const first = open(directory);
    await first.apply(secret("a"), BY);
    await first.apply(secret("b"), BY);
    await first.updateStatus({ kind: "Secret", namespace: "default", name: "a" }, { seen: 1 });
    await first.remove({ kind: "Secret", namespace: "default", name: "b" });
    await first.keep("good/a", new Uint8Array([0, 255, 7]));
    await first.keep("good/b", new Uint8Array());
    await first.keep("other", new Uint8Array([1]));
    await first.forget("good/b");
    const about = { kind: "Secret", namespace: "default", name: "a" };
    await first.record({ about, type: "Normal", reason: "Twice", message: "m" });
    await first.record({ about, type: "Normal", reason: "Once", message: "m" });
    await first.record({ about, type: "Normal", reason: "Twice", message: "m" });
    const before = { list: await first.list("Secret"), events: await first.events() };
    await first.close();

    const second = open(directory);
    expect({ list: await second.list("Secret"), events: await second.events() }).toEqual(before);
    expect(before.events.map(({ reason, count }) => `${reason} ${count}`)).toEqual(["Once 1", "Twice 2"]);
    expect(await second.kept("good/a")).toEqual(new Uint8Array([0, 255, 7]));
    expect(await second.keptNames("good/")).toEqual(["good/a"]);
    const next = await second.apply(secret("c"), BY);
    expect(Number(next.metadata.resourceVersion)).toBeGreaterThan(Number(before.list.resourceVersion));
    await second.close();
  }));

Deno.test("I14: all files of the store are readable for their owner alone, even when they were not before", () =>
  inDirectory(async (directory) => {
    const first = open(directory);
    await first.apply(secret("a"), BY);
    const modes = () =>
      [...Deno.readDirSync(directory)].map(({ name }) =>
        `${name} ${(Deno.statSync(`${directory}/${name}`).mode! & 0o777).toString(8)}`
      )
        .sort();
    expect(modes()).toEqual(["chancery.db 600", "chancery.db-shm 600", "chancery.db-wal 600", "chancery.lock 600"]);
    await first.close();
    Deno.chmodSync(`${directory}/chancery.db`, 0o644);
    const second = open(directory);
    await second.apply(secret("b"), BY);
    expect(modes().filter((mode) => !mode.endsWith(" 600"))).toEqual([]);
    await second.close();
  }));

Deno.test("I14: what is removed is overwritten in the file", () =>
  inDirectory(async (directory) => {
    const store = open(directory);
    await store.apply(secret("a", CANARY.repeat(50)), BY);
    await store.remove({ kind: "Secret", namespace: "default", name: "a" });
    await store.close();
    const bytes = await Deno.readTextFile(`${directory}/chancery.db`);
    expect(bytes).not.toContain(btoa(CANARY.repeat(50)).slice(0, 40));
  }));

Deno.test("transaction() does all or nothing, and watches see nothing of what failed", () =>
  inDirectory(async (directory) => {
    const store = open(directory);
    const seen: string[] = [];
    const stop = new AbortController();
    await store.watch(["Secret"], ({ type, object }) => seen.push(`${type} ${object.metadata.name}`), stop);
    const { resourceVersion } = await store.list("Secret");
    const bad = { ...secret("b"), data: { key: "%" } };
    const run = store.transaction([{ apply: secret("a"), options: BY }, { keep: "x", data: new Uint8Array(1) }, {
      apply: bad,
      options: BY,
    }]);
    expect((await run.catch((thrown) => thrown)).code).toBe("invalid-input");
    expect(await store.list("Secret")).toEqual({ items: [], resourceVersion });
    expect(await store.kept("x")).toBeUndefined();
    await store.transaction([{ apply: secret("a"), options: BY }, { apply: secret("b"), options: BY }]);
    await store.transaction([{ remove: { kind: "Secret", namespace: "default", name: "a" } }, {
      apply: secret("c"),
      options: BY,
    }]);
    expect(seen).toEqual(["added a", "added b", "deleted a", "added c"]);
    await store.close();
  }));

Deno.test("a full database refuses the write with advice, serves what it has, and goes on when there is room", () =>
  inDirectory(async (directory) => {
    const path = `${directory}/chancery.db`;
    const backing = new SqliteBacking(path);
    backing.database.exec("PRAGMA max_page_count = 20");
    const commit = (size: number) =>
      backing.commit({
        objects: [],
        events: new Map(),
        resourceVersion: 1,
        kept: new Map([["a", new Uint8Array(10)], ["b", new Uint8Array(size)]]),
      });
    commit(1000);
    const thrown = failure(() => commit(500_000));
    expect(thrown.code).toBe("unavailable");
    expect(thrown.retryable).toBe(true);
    expect(thrown.message).toBe(`Cannot write "${path}": the disk is full; free some space, then it is tried again`);
    expect(backing.kept("b")!.length).toBe(1000);
    backing.database.exec("PRAGMA max_page_count = 1000000");
    commit(500_000);
    expect(backing.kept("b")!.length).toBe(500_000);
    backing.close();
    await Promise.resolve();
  }));

const mounts = await canMount();

Deno.test({
  name:
    "a disk that is really full, then read-only, keeps what is in memory served (needs root for a small file system)",
  ignore: !mounts,
  fn: () =>
    inDirectory(async (directory) => {
      await run("mount", "-t", "tmpfs", "-o", "size=400k", "tmpfs", directory);
      try {
        await using store = open(directory);
        await store.apply(secret("a"), BY);
        const full = await store.apply(secret("big", "x".repeat(600_000)), BY).catch((thrown) => thrown);
        expect(full.code).toBe("unavailable");
        expect(full.message).toMatch(/free some space|space left/);
        expect(store.trouble).toBe(full.message);
        expect((await contents(store)).map((object) => object.metadata.name)).toEqual(["a"]);
        await store.apply(secret("b"), BY);
        expect(store.trouble).toBeUndefined();
        await store.close();

        await run("mount", "-o", "remount,ro", directory);
        const readOnly = failure(() => open(directory));
        expect(readOnly.code).toBe("unavailable");
        expect(readOnly.message).toContain("read-only");
        await run("mount", "-o", "remount,rw", directory);
        await using again = open(directory);
        expect((await contents(again)).length).toBe(2);
      } finally {
        await run("umount", "-l", directory);
      }
    }),
});

async function canMount(): Promise<boolean> {
  if (Deno.build.os !== "linux" || Deno.uid() !== 0) return false;
  const directory = await Deno.makeTempDir();
  const ok = await run("mount", "-t", "tmpfs", "tmpfs", directory).then(() => run("umount", directory)).then(
    () => true,
    () => false,
  );
  await Deno.remove(directory, { recursive: true });
  return ok;
}

async function run(command: string, ...args: string[]): Promise<void> {
  const { success } = await new Deno.Command(command, { args, stdout: "null", stderr: "null" }).output();
  if (!success) throw new Error(`${command} ${args.join(" ")} failed`);
}

const DAMAGE: Record<string, (path: string) => void> = {
  "text instead of a database": (path) => Deno.writeTextFileSync(path, "hello ".repeat(1000)),
  "a header of zeros": (path) => overwrite(path, 0, new Uint8Array(100)),
  "a page of noise": (path) => overwrite(path, 4096, new Uint8Array(4096).fill(0xa5)),
  "a truncated file": (path) => Deno.truncateSync(path, 5000),
};

function overwrite(path: string, offset: number, bytes: Uint8Array): void {
  using file = Deno.openSync(path, { write: true });
  file.seekSync(offset, Deno.SeekMode.Start);
  file.writeSync(bytes);
}

for (const [what, damage] of Object.entries(DAMAGE)) {
  Deno.test(`openLocalStore() says what to do about ${what}`, () =>
    inDirectory(async (directory) => {
      const store = open(directory);
      for (let i = 0; i < 20; i++) await store.apply(secret(`s${i}`, CANARY.repeat(200)), BY);
      await store.close();
      damage(`${directory}/chancery.db`);
      const thrown = failure(() => open(directory));
      expect(thrown.code).toBe("unavailable");
      expect(thrown.retryable).toBe(false);
      expect(thrown.message).toContain(
        `"${directory}/chancery.db": the file is damaged; restore a copy made by "chancery backup"`,
      );
      expect(thrown.message).not.toContain(CANARY);
      // the lock was given back
      Deno.removeSync(`${directory}/chancery.db`);
      await open(directory).close();
    }));
}

Deno.test("openLocalStore() refuses a foreign database and one of a newer version", () =>
  inDirectory(async (directory) => {
    const path = `${directory}/chancery.db`;
    const foreign = new DatabaseSync(path);
    foreign.exec("CREATE TABLE theirs (x)");
    foreign.close();
    expect(failure(() => open(directory)).message).toBe(
      `Cannot open "${path}": it belongs to another program; move it away`,
    );
    Deno.removeSync(path);
    await open(directory).close();
    const newer = new DatabaseSync(path);
    newer.exec("INSERT INTO schema (version) VALUES (99)");
    newer.close();
    expect(failure(() => open(directory)).message).toContain("a newer chancery wrote it (schema 99, this one knows 1)");
  }));

Deno.test("backup() copies a store in use, from inside and from outside, and the copy opens as a store", () =>
  inDirectory(async (directory) => {
    const store = open(`${directory}/data`);
    await store.apply(secret("a"), BY);
    await store.keep("good", new Uint8Array([1, 2]));
    await store.backup(`${directory}/inside.db`);
    await store.apply(secret("b"), BY);
    backupDataDirectory(`${directory}/data`, `${directory}/outside.db`);
    const left = [...Deno.readDirSync(directory)].map(({ name }) => name).sort();
    expect(left).toEqual(["data", "inside.db", "outside.db"]);
    for (const [copy, count] of [["inside", 1], ["outside", 2]] as const) {
      expect(Deno.statSync(`${directory}/${copy}.db`).mode! & 0o777).toBe(0o600);
      await Deno.mkdir(`${directory}/${copy}`);
      await Deno.rename(`${directory}/${copy}.db`, `${directory}/${copy}/chancery.db`);
      const restored = open(`${directory}/${copy}`);
      expect((await contents(restored)).length).toBe(count);
      expect(await restored.kept("good")).toEqual(new Uint8Array([1, 2]));
      await restored.close();
    }
    await store.close();
  }));

Deno.test("backup() overwrites nothing and leaves no half copy", () =>
  inDirectory(async (directory) => {
    const store = open(`${directory}/data`);
    await Deno.writeTextFile(`${directory}/there`, "mine");
    const thrown = await store.backup(`${directory}/there`).catch((error) => error);
    expect(thrown.message).toBe(`Cannot write backup "${directory}/there": it exists already; choose another name`);
    expect(await Deno.readTextFile(`${directory}/there`)).toBe("mine");
    expect((await store.backup(`${directory}/no/such/place`).catch((error) => error)).code).toBe("unavailable");
    await store.close();
    expect(failure(() => backupDataDirectory(`${directory}/nowhere`, `${directory}/x`)).code).toBe("invalid-input");
  }));

Deno.test("a closed store refuses calls instead of losing them", () =>
  inDirectory(async (directory) => {
    const store = open(directory);
    await store.close();
    await store.close();
    expect((await store.apply(secret("a"), BY).catch((thrown) => thrown)).code).toBe("unavailable");
  }));
