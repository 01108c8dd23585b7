import { expand } from "./expand.ts";
import { fieldText, type NodeFacts, resourceText } from "./field_ref.ts";
import type { Container, EnvVar, KeyRef, Pod } from "./pod.ts";

/** A ConfigMap or Secret as texts by key, or `undefined` when there is none of this name. */
export type Lookup = (kind: "ConfigMap" | "Secret", name: string) => ReadonlyMap<string, string> | undefined;

/** What the variables of a container are made of. */
export interface EnvInputs {
  readonly pod: Pod;
  readonly container: Container;
  readonly facts: NodeFacts;
  readonly lookup: Lookup;
  /** `KUBERNETES_SERVICE_HOST` and the like. */
  readonly services: ReadonlyMap<string, string>;
}

/**
 * The environment of a container: Services' variables, then `envFrom`, then `env`, where later ones win and `$(NAME)` stands for
 * an earlier one.
 * @throws {Error} when an object or key is missing that is not optional
 */
export function containerEnv(inputs: EnvInputs): Map<string, string> {
  const { container, lookup } = inputs;
  const result = new Map(inputs.services);
  for (const from of container.envFrom ?? []) {
    const kind = from.secretRef ? "Secret" : "ConfigMap";
    const ref = from.secretRef ?? from.configMapRef ?? {};
    const object = lookup(kind, ref.name ?? "");
    if (!object && !ref.optional) throw new Error(`${kind.toLowerCase()} "${ref.name}" not found`);
    for (const [key, value] of object ?? []) result.set(`${from.prefix ?? ""}${key}`, value);
  }
  for (const variable of container.env ?? []) {
    const value = valueOf(variable, inputs, result);
    if (value !== undefined) result.set(variable.name, value);
  }
  return result;
}

function valueOf(variable: EnvVar, inputs: EnvInputs, known: ReadonlyMap<string, string>): string | undefined {
  const from = variable.valueFrom;
  if (!from) return expand(variable.value ?? "", known);
  if (from.fieldRef) return fieldText(inputs.pod, from.fieldRef, inputs.facts);
  if (from.resourceFieldRef) {
    return resourceText(inputs.pod, from.resourceFieldRef, inputs.container.name, inputs.facts);
  }
  if (from.secretKeyRef) return keyOf("Secret", from.secretKeyRef, inputs.lookup);
  if (from.configMapKeyRef) return keyOf("ConfigMap", from.configMapKeyRef, inputs.lookup);
  return undefined;
}

function keyOf(kind: "ConfigMap" | "Secret", ref: KeyRef, lookup: Lookup): string | undefined {
  const object = lookup(kind, ref.name ?? "");
  const value = object?.get(ref.key);
  if (value !== undefined || ref.optional) return value;
  if (!object) throw new Error(`${kind.toLowerCase()} "${ref.name}" not found`);
  throw new Error(`couldn't find key ${ref.key} in ${kind} ${ref.name}`);
}
