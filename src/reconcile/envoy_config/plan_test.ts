import { testCases } from "../../../tests/golden/cases.ts";
import { EndpointSlice, readEnvoyConfig, sameStatus, Secret } from "../../api/mod.ts";
import { checkSchema } from "../../api/mod.ts";
import { formatKey } from "../../base/mod.ts";
import { envoyRegistry } from "../../envoy/mod.ts";
import { sourcesOf } from "../../snapshot/mod.ts";
import { keyOf, type WatchedObject } from "../engine/object_source.ts";
import { byAge } from "../engine/by_age.ts";
import type { RevisionInput } from "./inputs.ts";
import type { NodePlan } from "./node_plan.ts";
import { planNode } from "./plan.ts";
import { ownerUidOf, readRevision } from "./revision.ts";

const NOW = Date.parse("2026-03-04T05:06:07Z");

testCases(new URL("./testdata/plan", import.meta.url), {
  name: "planNode()",
  run(input) {
    const before = input.before === undefined ? undefined : plan(input.before as Input); // our own files
    const { made: { output, served, first, then, removals, lastGood } } = plan(input, before);
    return {
      output: output.kind,
      serves: served?.snapshot.revision ?? "nothing",
      statuses: Object.fromEntries([...first, ...then].map(({ object, status }) => [
        formatKey(keyOf(object)),
        sameStatus(object.status, status) ? "unchanged" : status,
      ])),
      ...(removals.length > 0 ? { removes: removals.map((object) => formatKey(keyOf(object))) } : {}),
      lastGood: lastGood ? [...lastGood.keys()] : "unchanged",
    };
  },
});

interface Input {
  readonly configs?: Record<string, unknown>[];
  readonly revisions?: Record<string, unknown>[];
  readonly secrets?: Record<string, unknown>[];
  readonly slices?: Record<string, unknown>[];
}

interface Planned {
  readonly made: NodePlan;
  /** Every object as it is once the plan was carried out, by key. */
  readonly objects: ReadonlyMap<string, WatchedObject>;
}

/** One look, as the controller makes it: a revision that is missing is made first. */
function plan({ configs = [], revisions = [], secrets = [], slices = [] }: Input, before?: Planned): Planned {
  const objects = new Map<string, WatchedObject>();
  const known = [...before?.objects.values() ?? []].filter(({ kind }) => kind === "EnvoyConfigRevision");
  for (const object of [...known, ...revisions.map((one) => objectOf("EnvoyConfigRevision", one))]) {
    put(objects, object);
  }
  for (const config of configs) {
    const object = objectOf("EnvoyConfig", config);
    const status = object.status ?? before?.objects.get(formatKey(keyOf(object)))?.status;
    put(objects, { ...object, ...(status === undefined ? {} : { status }) });
  }
  let made = look();
  if (made.create) {
    put(objects, { ...made.create, metadata: { ...made.create.metadata, uid: `made-${objects.size}`, generation: 1 } });
    made = look();
  }
  for (const { object, status } of [...made.first, ...made.then]) put(objects, { ...object, status });
  for (const object of made.removals) objects.delete(formatKey(keyOf(object)));
  return { made, objects };

  function look(): NodePlan {
    const all = [...objects.values()];
    const read = all.filter(({ kind }) => kind === "EnvoyConfig").map((object) => ({
      object,
      read: readEnvoyConfig(object),
    }));
    const [winner] = byAge(read);
    const namespace = winner ? keyOf(winner.object).namespace : "";
    return planNode({
      nodeId: "edge",
      configs: read,
      revisions: all.filter(({ kind }) => kind === "EnvoyConfigRevision").map((object) => revisionOf(object, read)),
      sources: sourcesOf(
        secrets.map((one) => checked<Secret>(Secret, { apiVersion: "v1", kind: "Secret", ...one }))
          .filter(({ metadata }) => metadata.namespace === namespace),
        slices.map((one) => checked<EndpointSlice>(EndpointSlice, { apiVersion: "v1", kind: "EndpointSlice", ...one })),
      ),
      lastGood: before?.made.lastGood ?? new Map(),
      reports: [],
      replica: { name: "here", bootId: "1" },
      replicas: new Map([["here", "1"]]),
      leading: true,
      now: NOW,
      monotonic: 0,
      ...(before?.made.served ? { served: before.made.served } : {}),
    }, { registry: envoyRegistry() });
  }
}

function revisionOf(object: WatchedObject, configs: readonly { readonly object: WatchedObject }[]): RevisionInput {
  const uid = ownerUidOf(object);
  const here = configs.some((config) => config.object.metadata.uid === uid);
  const read = readRevision(object);
  if (!read) throw new Error(`The case is wrong: revision "${object.metadata.name}" names no node id or version`);
  return { ...read, owner: { uid, state: here ? "here" : "unknown" } };
}

function objectOf(kind: string, fields: Record<string, unknown>): WatchedObject {
  return { apiVersion: "marin3r.3scale.net/v1alpha1", kind, ...fields } as unknown as WatchedObject; // our own files
}

function put(objects: Map<string, WatchedObject>, object: WatchedObject): void {
  objects.set(formatKey(keyOf(object)), object);
}

function checked<T>(schema: unknown, value: unknown): T {
  const [finding] = checkSchema(schema, value);
  if (finding) throw new Error(`The case is wrong: ${finding.message}`);
  return value as T; // checked in the lines above
}
