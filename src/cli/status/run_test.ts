import { expect } from "expect";
import { answerProblems } from "../../../tests/answer_schema.ts";
import type { ConfigDocument, ConfigsDocument } from "../../app/documents/mod.ts";
import type { CliContext } from "../command.ts";
import type { Source } from "../source/source.ts";
import { runStatus } from "./run.ts";

/** A source that says one thing after the other, and the last one for ever. */
function telling(...looks: readonly (readonly Partial<ConfigDocument>[])[]): Source {
  let look = 0;
  const refuse = () => Promise.reject(new Error("nobody asks for it"));
  const configs = () => {
    const configs = looks[Math.min(look++, looks.length - 1)]!.map(configOf);
    const now = new Date(Date.parse("2026-01-31T12:00:00Z") + look * 1000).toISOString();
    return Promise.resolve<ConfigsDocument>({ now, details: [], configs, strays: [], findings: [] });
  };
  return {
    name: "test",
    place: "",
    flags: "",
    changeFlags: "",
    namespace: undefined,
    configs,
    async *follow() {
      for (;;) yield await configs();
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
    history: refuse,
    served: refuse,
    rollback: refuse,
  };
}

function configOf(said: Partial<ConfigDocument>): ConfigDocument {
  return {
    namespace: "default",
    name: "edge",
    uid: "u",
    labels: {},
    generation: 1,
    createdAt: "2026-01-31T11:59:00Z",
    nodeId: "edge",
    status: { cacheState: "InSync", desiredVersion: "v1", publishedVersion: "v1" },
    ...said,
  };
}

const VALUES = {
  namespace: undefined,
  selector: undefined,
  allNamespaces: false,
  watch: true,
  exitCode: false,
} as const;

/** Reads so many texts and then goes away. */
function readerOf(texts: number): { context: CliContext; read: string[] } {
  const read: string[] = [];
  const context: CliContext = {
    program: "chancery",
    env: () => undefined,
    out: (text) => {
      if (text !== "") read.push(text);
      return read.length < texts;
    },
    err: (text) => void read.push(text),
    terminal: { out: false, err: false },
    color: { out: false, err: false },
  };
  return { context, read };
}

Deno.test("status -w prints what changes, in the columns of the table, until nobody reads any more", async () => {
  const one = { name: "one" }, two = { name: "two" };
  const now = { status: { cacheState: "Rollback", desiredVersion: "v2", publishedVersion: "v1" } } as const;
  const source = telling([one, two], [one, two], [one, { ...two, ...now }]);
  const { context, read } = readerOf(2);
  expect(await runStatus({ ...VALUES, output: "text" }, { source, context, words: [] })).toBe(0);
  expect(read).toEqual([
    "NAME          NODE ID   DESIRED   PUBLISHED   STATE    CLIENTS   AGE\n" +
    "default/one   edge      v1        v1          InSync   -         61s\n" +
    "default/two   edge      v1        v1          InSync   -         61s\n",
    "default/two   edge      v2        v1          Rollback   -         63s\n",
  ]);
});

Deno.test("status -w -o json prints one line per change", async () => {
  const source = telling([{}], [{ generation: 2 }]);
  const { context, read } = readerOf(2);
  expect(await runStatus({ ...VALUES, output: "json" }, { source, context, words: ["edge"] })).toBe(0);
  expect(JSON.parse(read[0]!).items[0].generation).toBe(1);
  expect(read[1]!.split("\n").length).toBe(2);
  expect(JSON.parse(read[1]!)).toMatchObject({ name: "edge", generation: 2 });
  expect(answerProblems(JSON.parse(read[0]!), { name: "status" })).toEqual([]);
  expect(answerProblems(JSON.parse(read[1]!), { name: "status", type: "StatusItem" })).toEqual([]);
});
