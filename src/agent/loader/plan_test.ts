import { expect } from "expect";
import fc from "fast-check";
import { caseTitle } from "../../../tests/golden/cases.ts";
import { parseYaml } from "../../base/yaml/mod.ts";
import { checkFile } from "./check/mod.ts";
import { collect } from "./collect.ts";
import { differs, type Plan, planFiles, type Present, type Step } from "./plan.ts";
import type { SourceFile, SourceState } from "./source_state.ts";

const TYPE = "type.googleapis.com/envoy";

/** A source of a case: its keys, or that it is missing or unknown. */
type CaseSource = "missing" | "unknown" | Readonly<Record<string, string>>;

interface Case {
  readonly sources: Readonly<Record<string, CaseSource>>;
  readonly present?: Readonly<Record<string, string>>;
  readonly owned?: Readonly<Record<string, string>>;
  /** Milliseconds ago that users of clusters changed. */
  readonly usersChanged?: number;
  readonly allowEmpty?: boolean;
  readonly wanted: {
    readonly steps: readonly string[];
    readonly held?: readonly string[];
    readonly owned?: readonly string[];
    readonly lookAgainMs?: number;
  };
}

const NOW = 100_000;
const DELAY = 60_000;

function stateOf(id: string, source: CaseSource): SourceState {
  if (source === "missing" || source === "unknown") return { kind: source };
  const files = new Map<string, SourceFile>(
    Object.entries(source).map((
      [path, text],
    ) => [path, { bytes: encode(text), secret: false, owner: `configmap ${id}` }]),
  );
  return { kind: "present", objects: [files] };
}

function encode(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}

function planOf(
  sources: ReadonlyMap<string, CaseSource>,
  present: Present,
  { usersChangedAt = undefined as number | undefined, allowEmpty = false, now = NOW } = {},
): Plan {
  const collected = collect([...sources].map(([id, source]) => ({ id, state: stateOf(id, source) })));
  return planFiles({
    collected,
    present,
    check: (path, bytes) => checkFile(path, bytes, { allowEmpty }),
    now,
    usersChangedAt,
    removalDelayMs: DELAY,
  });
}

function wordsOf(step: Step): string {
  if (step.do === "remove") return `remove ${step.path}`;
  const names = /"resources"/.test(new TextDecoder().decode(step.bytes)) && step.kind === "CDS"
    ? ` ${[...checkFile(step.path, step.bytes, { allowEmpty: true }).clusters?.keys() ?? []].join("+")}`
    : "";
  return `${step.is} ${step.path}${names}`;
}

for await (const entry of Deno.readDir(new URL("testdata/plan/", import.meta.url))) {
  const url = new URL(`testdata/plan/${entry.name}`, import.meta.url);
  const text = await Deno.readTextFile(url);
  Deno.test(caseTitle("planFiles()", entry.name.replace(/\.yaml$/, "")), () => {
    const [document] = parseYaml(text, entry.name).documents;
    const { sources, present = {}, owned, usersChanged, allowEmpty = false, wanted } = document?.value as Case; // a case
    const files = new Map(Object.entries(present).map(([path, content]) => [path, encode(content)]));
    const owners = new Map(Object.entries(owned ?? Object.fromEntries([...files.keys()].map((path) => [path, "a"]))));
    const plan = planOf(new Map(Object.entries(sources)), { files, owned: owners }, {
      allowEmpty,
      usersChangedAt: usersChanged === undefined ? undefined : NOW - usersChanged,
    });
    expect(plan.steps.map(wordsOf)).toEqual(wanted.steps);
    expect(
      plan.held.map(({ path, keeps, findings }) =>
        `${path} ${keeps ? "kept" : "absent"}: ${findings.map(({ message }) => message).join("; ")}`
      ),
    ).toEqual(wanted.held ?? []);
    if (wanted.owned) expect([...plan.owned.keys()].sort()).toEqual(wanted.owned);
    expect(plan.lookAgainMs).toBe(wanted.lookAgainMs);
  });
}

/** A small world: clusters, one route table that sends to one of them, and a listener that reads the routes. */
const CONTENT: Readonly<Record<string, readonly string[]>> = {
  "cds.yaml": [["a"], ["b"], ["a", "b"]].map((names) =>
    JSON.stringify({
      resources: names.map((name) => ({ "@type": `${TYPE}.config.cluster.v3.Cluster`, name, connect_timeout: "1s" })),
    })
  ),
  "rds.yaml": ["a", "b"].map((cluster) =>
    JSON.stringify({
      resources: [{
        "@type": `${TYPE}.config.route.v3.RouteConfiguration`,
        name: "main",
        virtual_hosts: [{ name: "v", domains: ["*"], routes: [{ match: { prefix: "/" }, route: { cluster } }] }],
      }],
    })
  ),
  "note.txt": ["one", "two"],
  "bad.yaml": ["resources: [{", "resources: []"],
};

const anyFile = fc.constantFrom(
  ...Object.entries(CONTENT).flatMap(([path, texts]) => texts.map((text) => [path, text])),
);
const anySource: fc.Arbitrary<CaseSource> = fc.oneof(
  { weight: 1, arbitrary: fc.constant("missing" as const) },
  { weight: 1, arbitrary: fc.constant("unknown" as const) },
  { weight: 6, arbitrary: fc.array(anyFile, { maxLength: 5 }).map((files) => Object.fromEntries(files)) },
);
/** States of two ConfigMaps, after how many steps the process is killed, and how much time passes. */
const anyHistory = fc.array(fc.tuple(anySource, anySource, fc.nat(8), fc.nat(70_000)), { minLength: 1, maxLength: 8 });

/** A directory that takes steps as the real one does: the record first, then one step at a time, then the record. */
class Model implements Present {
  readonly files = new Map<string, Uint8Array>();
  owned: ReadonlyMap<string, string> = new Map();

  take(plan: Plan, steps: number): void {
    this.owned = new Map([...this.owned, ...plan.owned]);
    for (const step of plan.steps.slice(0, steps)) {
      if (step.do === "remove") this.files.delete(step.path);
      else this.files.set(step.path, step.bytes);
    }
    if (steps >= plan.steps.length) this.owned = plan.owned;
  }
}

Deno.test("L2: planFiles() leaves a consistent directory whatever the ConfigMaps go through and whenever it is killed", () => {
  fc.assert(
    fc.property(anyHistory, (history) => {
      const model = new Model();
      model.files.set("foreign.txt", encode("not ours"));
      let now = 0;
      let usersChangedAt: number | undefined;
      for (const [a, b, killedAfter, pause] of history) {
        now += pause;
        const clusters = namesIn(model);
        const plan = planOf(new Map([["a", a], ["b", b]]), model, { now, usersChangedAt });
        model.take(plan, killedAfter);
        if (plan.steps.some(({ kind }, index) => kind === "RDS" && index < killedAfter)) usersChangedAt = now;
        for (const [path, bytes] of model.files) {
          const { findings } = checkFile(path, bytes, { allowEmpty: false });
          expect(findings.filter(({ severity }) => severity === "error")).toEqual([]);
        }
        // While routes change, no cluster that was there goes.
        if (plan.steps.some((step) => step.do === "write" && step.kind === "RDS") && model.files.has("cds.yaml")) {
          for (const name of clusters) expect(namesIn(model)).toContain(name);
        }
        for (const path of model.files.keys()) expect(path === "foreign.txt" || model.owned.has(path)).toBe(true);
      }
      // Without a kill, and with time, everything comes to what the last state says.
      const [a, b] = history.at(-1)!;
      const last = new Map([["a", a], ["b", b]]);
      for (let round = 0; round < 3; round++) {
        now += 2 * DELAY;
        const plan = planOf(last, model, { now, usersChangedAt });
        if (plan.steps.some(({ kind }) => kind === "RDS")) usersChangedAt = now;
        model.take(plan, Infinity);
      }
      const collected = collect([...last].map(([id, source]) => ({ id, state: stateOf(id, source) })));
      expect(planOf(last, model, { now, usersChangedAt }).steps).toEqual([]);
      for (const [path, { bytes }] of collected.files) {
        if (path !== "bad.yaml") {
          expect(new TextDecoder().decode(model.files.get(path))).toBe(new TextDecoder().decode(bytes));
        }
      }
      expect(model.files.has("foreign.txt")).toBe(true);
      expect(model.files.has("bad.yaml")).toBe(false);
      if (a !== "unknown" && b !== "unknown" && collected.conflicts.size === 0 && !collected.files.has("bad.yaml")) {
        expect(differs(collected, model)).toBe(false);
      }
    }),
    { numRuns: 300 },
  );
});

function namesIn(model: Model): string[] {
  const bytes = model.files.get("cds.yaml");
  return bytes ? [...checkFile("cds.yaml", bytes, { allowEmpty: false }).clusters?.keys() ?? []] : [];
}
