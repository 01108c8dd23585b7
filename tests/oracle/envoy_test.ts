/**
 * `chancery validate` against `envoy --mode validate`: a corpus of resources and their mutants, one resource at a time. Where
 * the two differ the reason has to be listed. `ENVOY_RUNS=5000` and `ENVOY_SEED=7` make the long run.
 */
import { expect } from "expect";
import fc from "fast-check";
import { openEnvoy, type Verdict } from "../../src/app/validate/second_opinion/envoy_process.ts";
import { bootstrapOf } from "../../src/app/validate/second_opinion/bootstrap.ts";
import type { Part } from "../../src/app/validate/second_opinion/parts.ts";
import type { Finding, Json } from "../../src/base/mod.ts";
import { parseYaml } from "../../src/base/yaml/mod.ts";
import { envoyRegistry } from "../../src/envoy/mod.ts";
import { inspectEnvoyConfig, sourcesOf } from "../../src/snapshot/mod.ts";
import { LAXER, STRICTER } from "./envoy_differences.ts";
import { mutated, type Mutation, mutation } from "./mutate.ts";

const RUNS = Number(Deno.env.get("ENVOY_RUNS") ?? 60);
const SEED = Number(Deno.env.get("ENVOY_SEED") ?? 1);
const registry = envoyRegistry();

interface Resource {
  readonly type: "cluster" | "listener" | "route";
  readonly value: Json;
}

const { documents } = parseYaml(
  await Deno.readTextFile(new URL("testdata/envoy_corpus.yaml", import.meta.url)),
  "corpus",
);
const CORPUS = documents.map(({ value }) => value as Resource); // written for this test

function ours({ type, value }: Resource): readonly Finding[] {
  const object = {
    apiVersion: "marin3r.3scale.net/v1alpha1",
    kind: "EnvoyConfig",
    metadata: { name: "a" },
    spec: { nodeID: "a", resources: [{ type, value }] },
  };
  const { findings } = inspectEnvoyConfig(object, { registry, sources: () => sourcesOf([], []) });
  return findings.filter(({ severity }) => severity === "error");
}

const HCM = "type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager";
const ROUTER = "type.googleapis.com/envoy.extensions.filters.http.router.v3.Router";

function partOf({ type, value }: Resource): Part {
  const part = { stage: "use", path: [], label: type } as const;
  if (type === "cluster") return { ...part, into: "clusters", json: value as Part["json"] };
  if (type === "listener") return { ...part, into: "listeners", json: value as Part["json"] };
  const manager = {
    "@type": HCM,
    stat_prefix: "x",
    route_config: value,
    http_filters: [{ name: "router", typed_config: { "@type": ROUTER } }],
  };
  const json = {
    name: "table",
    address: { pipe: { path: "/tmp/table" } },
    filter_chains: [{ filters: [{ name: "http", typed_config: manager }] }],
  };
  return { ...part, into: "listeners", json };
}

/** Clusters that the corpus refers to. */
const FOREIGN = ["api", "other", "ext"];

Deno.test("validate and Envoy agree about the corpus and its mutants, or the reason is known", async () => {
  const envoy = await openEnvoy("envoy", { deadlineMs: 20_000 });
  const tally = { agreed: 0, refused: 0, stricter: 0, laxer: 0, unclear: 0 };
  const unknown: string[] = [];
  const check = async (resource: Resource) => {
    const errors = ours(resource);
    const verdict: Verdict = await envoy.ask(
      bootstrapOf([partOf(resource)], { nodeId: "a", foreignClusters: FOREIGN }),
    );
    if (verdict.kind === "crashed" || verdict.kind === "late") return void tally.unclear++;
    const refused = verdict.kind === "refused";
    if (refused === errors.length > 0) {
      tally.agreed++;
      if (refused) tally.refused++;
      return;
    }
    const told = errors.map(({ rule, message }) => `${rule}: ${message}`);
    const known = refused
      ? LAXER.some(({ match }) => match.test(verdict.words))
      : told.every((text) => STRICTER.some(({ match }) => match.test(text)));
    if (known) tally[refused ? "laxer" : "stricter"]++;
    else {
      unknown.push(
        `${JSON.stringify(resource)}\n  ours: ${told.join("; ") || "fine"}\n  Envoy: ${
          refused ? verdict.words : "fine"
        }`,
      );
    }
  };
  for (const resource of CORPUS) {
    expect({ resource, errors: ours(resource) }).toEqual({ resource, errors: [] });
    await check(resource);
  }
  expect(tally.agreed).toBe(CORPUS.length);
  const plans = fc.sample(fc.tuple(fc.nat(), fc.array(mutation, { minLength: 1, maxLength: 2 })), {
    numRuns: RUNS,
    seed: SEED,
  });
  const mutants = plans.map(([index, changes]: [number, Mutation[]]) => {
    const { type, value } = CORPUS[index % CORPUS.length]!;
    return { type, value: mutated(value, changes) as Json };
  });
  const worker = async () => {
    for (let mutant = mutants.pop(); mutant; mutant = mutants.pop()) await check(mutant);
  };
  await Promise.all([worker(), worker()]);
  if (RUNS > 1000) console.log(JSON.stringify(tally));
  if (unknown.length > 0) {
    throw new Error(`${unknown.length} differences without a reason:\n${unknown.slice(0, 400).join("\n")}`);
  }
  expect(tally.refused).toBeGreaterThan(RUNS / 5);
});
