import { expect } from "expect";
import fc from "fast-check";
import { ChanceryError, ManualClock, type ObjectKey } from "../../../base/mod.ts";
import type { StoredObject, WatchEvent } from "../../store.ts";
import { SecretContents } from "./secret_contents.ts";

function secret(name: string, version: number, options: { uid?: string; value?: string } = {}): StoredObject {
  const { uid = "1", value } = options;
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name, namespace: "demo", uid, resourceVersion: String(version), generation: 0, creationTimestamp: "" },
    ...(value === undefined ? {} : { data: { value } }),
  };
}

function key(name: string): ObjectKey {
  return { kind: "Secret", namespace: "demo", name };
}

function line({ type, object }: WatchEvent): string {
  const data = object.data as { value: string } | undefined;
  return `${type} ${object.metadata.name} ${data?.value ?? "-"}`;
}

/** Contents over reads that the test answers when it likes. */
function scene() {
  const clock = new ManualClock();
  const events: WatchEvent[] = [];
  const reads: { key: ObjectKey; answer: (object?: StoredObject) => void; fail: (error: unknown) => void }[] = [];
  const contents = new SecretContents({
    clock,
    random: () => 0,
    onEvent: (event) => events.push(event),
    read: (key) => {
      const { promise, resolve, reject } = Promise.withResolvers<StoredObject | undefined>();
      reads.push({ key, answer: (object) => resolve(object), fail: reject });
      return promise;
    },
  });
  const tell = (type: WatchEvent["type"], object: StoredObject) => contents.take({ type, object });
  const settle = () => new Promise<void>((resolve) => setTimeout(resolve)); // lets all that is ready run
  return { clock, events, reads, contents, tell, settle };
}

Deno.test("a Secret that changes while it is read is read again", async () => {
  const { events, reads, contents, tell, settle } = scene();
  tell("added", secret("a", 1));
  const needed = contents.need("x", [key("a")]);
  await settle();
  tell("modified", secret("a", 2));
  reads[0]!.answer(secret("a", 1, { value: "one" }));
  await settle();
  reads[1]!.answer(secret("a", 2, { value: "two" }));
  await needed;
  expect(events.map(line)).toEqual(["added a -", "modified a one", "modified a two"]);
  tell("modified", secret("a", 2));
  expect([events.length, reads.length]).toEqual([3, 2]); // known already
});

Deno.test("a Secret that goes while it is read is not told", async () => {
  const { events, reads, contents, tell, settle } = scene();
  tell("added", secret("a", 1));
  const needed = contents.need("x", [key("a")]);
  await settle();
  tell("deleted", secret("a", 2));
  reads[0]!.answer(secret("a", 1, { value: "one" }));
  await needed;
  expect(events.map(line)).toEqual(["added a -", "deleted a -"]);
});

Deno.test("what is needed no more while it is read is not told with data", async () => {
  const { events, reads, contents, tell, settle } = scene();
  tell("added", secret("a", 1));
  const needed = contents.need("x", [key("a")]);
  await settle();
  await contents.need("x", []);
  reads[0]!.answer(secret("a", 1, { value: "one" }));
  await needed;
  expect(events.map(line)).toEqual(["added a -"]);
});

Deno.test("a read that fails is said, tried again, and what was told stays meanwhile", async () => {
  const { clock, events, reads, contents, tell, settle } = scene();
  tell("added", secret("a", 1));
  const needed = contents.need("x", [key("a")]);
  const failed = needed.catch((thrown) => thrown.message);
  await settle();
  reads[0]!.fail(new ChanceryError("unavailable", "no answer"));
  expect(await failed).toBe("no answer");
  expect(contents.problem).toBe("no answer");
  clock.advance(500);
  await settle();
  reads[1]!.answer(secret("a", 1, { value: "one" }));
  await settle();
  expect(contents.problem).toBeUndefined();
  tell("modified", secret("a", 2));
  await settle();
  reads[2]!.fail(new ChanceryError("unavailable", "no answer"));
  await settle();
  await contents.need("x", [key("a")]); // what there was is enough
  expect(events.map(line)).toEqual(["added a -", "modified a one"]);
  contents.close();
  clock.advance(60_000);
  expect(reads.length).toBe(3);
});

Deno.test("eight Secrets are read at the same time, not more", async () => {
  const { reads, contents, tell, settle } = scene();
  const names = Array.from({ length: 20 }, (_, i) => `s${i}`);
  for (const name of names) tell("added", secret(name, 1));
  const needed = contents.need("x", names.map(key));
  for (let done = 0; done < 20; done++) {
    await settle();
    expect(reads.length - done).toBeLessThanOrEqual(8);
    reads[done]!.answer(secret(reads[done]!.key.name, 1, { value: "v" }));
  }
  await needed;
});

Deno.test("in any order of changes, needs and answers, what is told ends as what is there", async () => {
  const name = fc.constantFrom("a", "b");
  const step = fc.oneof(
    fc.record({ do: fc.constant("write" as const), name }),
    fc.record({ do: fc.constant("remove" as const), name }),
    fc.record({ do: fc.constant("watch" as const) }),
    fc.record({ do: fc.constant("need" as const), owner: fc.constantFrom("x", "y"), names: fc.uniqueArray(name) }),
    fc.record({ do: fc.constant("answer" as const), fails: fc.boolean() }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const { clock, events, reads, contents, tell, settle } = scene();
      const server = new Map<string, StoredObject>(); // what the API server has
      const late: WatchEvent[] = []; // what the watch has not brought yet
      const needs = new Map<string, readonly string[]>();
      let version = 0;
      let answered = 0;
      const bare = ({ data: _d, ...object }: StoredObject) => object as StoredObject;
      const bring = () => {
        const event = late.shift();
        if (event) tell(event.type, bare(event.object));
      };
      const answer = (fails: boolean) => {
        const read = reads[answered];
        if (!read) return;
        answered++;
        if (fails) read.fail(new ChanceryError("unavailable", "no answer"));
        else read.answer(server.get(read.key.name));
      };
      for (const step of steps) {
        if (step.do === "write") {
          const before = server.get(step.name);
          const uid = before?.metadata.uid ?? String(++version);
          const object = secret(step.name, ++version, { uid, value: String(version) });
          server.set(step.name, object);
          late.push({ type: before ? "modified" : "added", object });
        } else if (step.do === "remove") {
          const before = server.get(step.name);
          if (before) late.push({ type: "deleted", object: before });
          server.delete(step.name);
        } else if (step.do === "watch") bring();
        else if (step.do === "answer") answer(step.fails);
        else {
          needs.set(step.owner, step.names);
          contents.need(step.owner, step.names.map(key)).catch(() => {}); // tried again by itself
        }
        await settle();
      }
      while (late.length > 0) bring();
      for (let quiet = 0; quiet < 3; quiet++) {
        clock.advance(60_000);
        for (await settle(); answered < reads.length; await settle()) answer(false);
      }
      const believed = new Map<string, string>();
      for (const { type, object } of events) {
        expect(believed.has(object.metadata.name)).toBe(type !== "added");
        if (type === "deleted") believed.delete(object.metadata.name);
        else believed.set(object.metadata.name, (object.data as { value: string } | undefined)?.value ?? "-");
      }
      const needed = new Set([...needs.values()].flat());
      const there = [...server].map((
        [name, { data }],
      ) => [name, needed.has(name) ? (data as { value: string }).value : "-"]);
      expect(Object.fromEntries(believed)).toEqual(Object.fromEntries(there));
      contents.close();
    }),
    { numRuns: 150 },
  );
});
