import { crdOf } from "./crd.ts";
import type { KindDefinition } from "./kind.ts";

/** A schema of Kubernetes, as far as it says which fields there are. */
export interface ServedSchema {
  readonly properties?: Readonly<Record<string, ServedSchema>>;
  readonly items?: ServedSchema;
  readonly additionalProperties?: ServedSchema | boolean;
  readonly "x-kubernetes-preserve-unknown-fields"?: boolean;
}

/**
 * Paths of the fields that this program knows and the CRD that is served does not: the API server drops what is written there without
 * a word (https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#field-pruning). Of a field
 * that is lost as a whole only its own path.
 */
export function lostFields(kind: KindDefinition, served: ServedSchema): string[] {
  const { spec } = crdOf(kind) as { spec: { versions: [{ schema: { openAPIV3Schema: ServedSchema } }] } }; // just made
  const { properties: { spec: ours, status } = {} } = spec.versions[0].schema.openAPIV3Schema;
  const theirs = served.properties ?? {};
  return [...walk(ours, theirs["spec"], "spec"), ...walk(status, theirs["status"], "status")];
}

function* walk(ours: ServedSchema | undefined, served: ServedSchema | undefined, path: string): Generator<string> {
  if (!ours) return;
  if (!served) return void (yield path);
  if (served["x-kubernetes-preserve-unknown-fields"]) return;
  for (const [name, field] of Object.entries(ours.properties ?? {})) {
    yield* walk(field, served.properties?.[name], `${path}.${name}`);
  }
  if (ours.items) yield* walk(ours.items, served.items, `${path}[]`);
  const { additionalProperties: values } = ours;
  const { additionalProperties: theirs } = served;
  if (typeof values === "object" && typeof theirs === "object") yield* walk(values, theirs, `${path}.*`);
}
