import { expect } from "expect";
import { ChanceryError, type Finding, formatFinding } from "../../base/mod.ts";
import type { EmbeddedStore } from "../embedded_store.ts";
import type { DirectoryOptions } from "./directory.ts";
import { manifest, Scene } from "./directory_scene.ts";
import type { DirectoryReport } from "./report.ts";

function told(report: DirectoryReport): string[] {
  return report.findings.map(formatFinding);
}

Deno.test("Directory brings its objects into the store and follows changes", async () => {
  await using scene = new Scene();
  const { disk, directory, store } = scene;
  disk.files.set("a.yaml", manifest("one", { size: 1 }) + manifest("two"));
  disk.files.set("b.yaml", "kind: Service\napiVersion: v1");
  const first = await directory.start();
  expect(first).toMatchObject({ files: 2, objects: 2, skipped: { Service: 1 }, findings: [], stored: true });
  expect(first.applied.map(({ name }) => name)).toEqual(["one", "two"]);
  disk.files.set("a.yaml", manifest("one", { size: 2 }));
  const second = await directory.rescan();
  expect({ applied: second.applied.length, removed: second.removed.map(({ name }) => name) }).toEqual({
    applied: 1,
    removed: ["two"],
  });
  expect(await scene.stored()).toEqual({ one: { size: 2 } });
  const { metadata } = (await store.list("Config")).items[0]!;
  expect(metadata.managedFields?.map(({ manager }) => manager)).toEqual(["directory"]);
  expect(scene.reports).toEqual([first, second]);
});

Deno.test("Directory writes nothing when nothing changed, and heals what somebody else changed or removed", async () => {
  await using scene = new Scene();
  const { disk, directory, store } = scene;
  disk.files.set("a.yaml", manifest("one", { size: 1 }) + manifest("two"));
  await directory.start();
  expect((await directory.rescan()).applied).toEqual([]);
  const foreign = {
    apiVersion: "x/v1",
    kind: "Config",
    metadata: { name: "one", namespace: "default" },
    spec: { size: 9 },
  };
  await store.apply(foreign, { fieldManager: "other", force: true });
  await store.remove({ kind: "Config", namespace: "default", name: "two" });
  expect((await directory.rescan()).applied.map(({ name }) => name)).toEqual(["one", "two"]);
  expect(await scene.stored()).toEqual({ one: { size: 1 }, two: {} });
});

Deno.test("Directory looks by itself on a sign of change and every 30 s", async () => {
  await using scene = new Scene();
  const { disk, directory, clock, reports } = scene;
  disk.files.set("a.yaml", manifest("one"));
  await directory.start();
  disk.files.set("b.yaml", manifest("two"));
  disk.changed();
  await until(() => reports.length === 2);
  expect(Object.keys(await scene.stored())).toEqual(["one", "two"]);
  disk.files.set("c.yaml", manifest("three"));
  await settled();
  clock.advance(29_999);
  await settled();
  expect(reports.length).toBe(2);
  clock.advance(1);
  await until(() => reports.length === 3);
  expect(Object.keys(await scene.stored())).toEqual(["one", "three", "two"]);
});

/** Lets everything run that is ready to. */
async function settled(): Promise<void> {
  for (let i = 0; i < 200; i++) await Promise.resolve();
}

async function until(condition: () => boolean): Promise<void> {
  for (let i = 0; i < 10_000 && !condition(); i++) await Promise.resolve();
  expect(condition()).toBe(true);
}

Deno.test("Directory waits until all files have kept still", async () => {
  await using scene = new Scene();
  const { disk, directory } = scene;
  const whole = manifest("one") + manifest("two") + manifest("three");
  let written = 0;
  disk.onRead = () => {
    written = Math.min(whole.length, written + 40);
    disk.files.set("a.yaml", whole.slice(0, written));
  };
  const report = await directory.start();
  expect(report.findings).toEqual([]);
  expect(Object.keys(await scene.stored())).toEqual(["one", "three", "two"]);
});

Deno.test("Directory goes on without a file that never keeps still", async () => {
  await using scene = new Scene();
  const { disk, directory } = scene;
  disk.files.set("a.yaml", manifest("one"));
  disk.files.set("b.yaml", manifest("two"));
  await directory.start();
  let count = 0;
  disk.onRead = () => disk.files.set("b.yaml", manifest("two", { count: count++ }));
  disk.files.set("a.yaml", manifest("one", { size: 2 }));
  const report = await directory.rescan();
  expect(told(report)[0]).toBe("conf/b.yaml:1:1: error: the file cannot be read: it is being written all the time");
  expect(await scene.stored()).toEqual({ one: { size: 2 }, two: {} });
});

Deno.test("Directory keeps the last good content of an object that is refused, and applies the rest of the file", async () => {
  let asked = 0;
  const admit: DirectoryOptions["admit"] = ({ spec }) => {
    asked++;
    const { port = 0 } = spec as { port?: number }; // what the manifests of this test say
    const finding: Finding = { severity: "error", path: ["spec", "port"], message: "port must be at most 65535" };
    return port > 65535 ? [finding] : [];
  };
  await using scene = new Scene({ admit });
  const { disk, directory } = scene;
  disk.files.set(
    "a.yaml",
    manifest("one", { port: 1 }) + manifest("two", { port: 1 }) + manifest("bad", { port: 70000 }),
  );
  expect((await directory.start()).objects).toBe(2);
  disk.files.set("a.yaml", manifest("one", { port: 70000 }) + manifest("two", { port: 2 }));
  const report = await directory.rescan();
  expect(told(report)).toEqual(["conf/a.yaml:5:8: error: spec.port: port must be at most 65535"]);
  expect(report.findings[0]!.object).toEqual({ kind: "Config", namespace: "default", name: "one" });
  expect(await scene.stored()).toEqual({ one: { port: 1 }, two: { port: 2 } });
  const before = asked;
  expect(told(await directory.rescan())).toEqual(told(report));
  expect(asked).toBe(before);
  // moved and still refused: it belongs to the other file now
  disk.files.set("a.yaml", manifest("two", { port: 2 }));
  disk.files.set("b.yaml", manifest("one", { port: 70000 }));
  await directory.rescan();
  expect(await scene.stored()).toEqual({ one: { port: 1 }, two: { port: 2 } });
  disk.files.delete("b.yaml");
  await directory.rescan();
  expect(await scene.stored()).toEqual({ two: { port: 2 } });
});

Deno.test("Directory survives a check that throws", async () => {
  await using scene = new Scene({
    admit: () => {
      throw new Error("oops");
    },
  });
  scene.disk.files.set("a.yaml", manifest("one"));
  expect(told(await scene.directory.start())).toEqual(["conf/a.yaml:1:1: error: cannot be checked: oops"]);
});

Deno.test("Directory knows after a restart what came from where", async () => {
  await using scene = new Scene();
  const { disk, directory } = scene;
  disk.files.set("a.yaml", manifest("one"));
  disk.files.set("b.yaml", manifest("two") + manifest("three"));
  await directory.start();
  await directory.close();
  disk.files.delete("a.yaml");
  disk.files.set("b.yaml", "{");
  await scene.open().start();
  expect(await scene.stored()).toEqual({ two: {}, three: {} });
  disk.files.set("b.yaml", manifest("three"));
  await scene.directory.rescan();
  expect(await scene.stored()).toEqual({ three: {} });
});

Deno.test("Directory keeps everything when it is empty or cannot be read, and goes on when it is back", async () => {
  await using scene = new Scene();
  const { disk, directory } = scene;
  disk.files.set("a.yaml", manifest("one"));
  await directory.start();
  disk.files.clear();
  expect(told(await directory.rescan())).toEqual([
    "error: the directory has no manifests any more; its 1 objects stay, unless it is allowed to be empty",
  ]);
  disk.unreadable = [{ name: "", problem: "it does not exist" }];
  expect(told(await directory.rescan())[0]).toBe(
    'error: Cannot read directory "conf": it does not exist; its objects stay',
  );
  expect(await scene.stored()).toEqual({ one: {} });
  disk.unreadable = [];
  disk.files.set("a.yaml", manifest("two"));
  await directory.rescan();
  expect(await scene.stored()).toEqual({ two: {} });
});

Deno.test("Directory tries again when the store cannot be written", async () => {
  await using scene = new Scene();
  const { disk, store, clock, reports } = scene;
  disk.files.set("a.yaml", manifest("one"));
  let full = true;
  const transaction: typeof store.transaction = (operations) =>
    full
      ? Promise.reject(new ChanceryError("unavailable", "Cannot write: the disk is full"))
      : store.transaction(operations);
  const directory = scene.open({
    store: Object.create(store, { transaction: { value: transaction }, ...bound(store) }),
  });
  const first = await directory.start();
  expect(first).toMatchObject({ stored: false, objects: 0 });
  expect(told(first)).toEqual(["error: Cannot write: the disk is full"]);
  full = false;
  await settled();
  clock.advance(1000);
  await until(() => reports.length === 2);
  expect(reports[1]).toMatchObject({ stored: true, objects: 1, findings: [] });
  expect(await scene.stored()).toEqual({ one: {} });
});

/** The store's other methods, which need their own `this`. */
function bound(store: EmbeddedStore): PropertyDescriptorMap {
  const { get, kept, keptNames } = store;
  return {
    get: { value: get.bind(store) },
    kept: { value: kept.bind(store) },
    keptNames: { value: keptNames.bind(store) },
  };
}

Deno.test("Directory knows where a field of a stored object is written", async () => {
  await using scene = new Scene();
  const { disk, directory } = scene;
  disk.files.set("a.yaml", manifest("zero") + manifest("one", { list: [1, { deep: 2 }] }));
  await directory.start();
  const key = { kind: "Config", namespace: "default", name: "one" };
  expect(directory.positionOf(key, ["metadata", "name"])).toEqual({ file: "conf/a.yaml", line: 10, column: 3 });
  expect(directory.positionOf(key, ["spec", "list", 1, "deep"])?.line).toBe(11);
  expect(directory.positionOf({ ...key, name: "none" }, [])).toBeUndefined();
});

Deno.test("close() ends a scan under way, and calls that wait for one", async () => {
  const scene = new Scene();
  await scene.directory.start();
  const waiting = scene.directory.rescan().catch((thrown) => thrown.code);
  await scene.directory.close();
  expect(await waiting).toBe("unavailable");
  expect(await scene.directory.rescan().catch((thrown) => thrown.code)).toBe("unavailable");
  await scene.store.close();
});
