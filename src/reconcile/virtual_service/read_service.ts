import { checkSchema, dropNulls } from "../../api/mod.ts";
import { MESH_ANNOTATIONS, VirtualServiceSpec } from "../../api/virtual_service/mod.ts";
import type { Finding } from "../../base/mod.ts";
import type { WatchedObject } from "../engine/object_source.ts";
import { keyOf } from "../engine/object_source.ts";

/** A VirtualService as far as it can be used. */
export interface ReadService {
  /** Absent when nothing can be made out. */
  readonly spec?: VirtualServiceSpec;
  /** Indices of the listeners in it that break a rule. */
  readonly broken: ReadonlySet<number>;
  /** Where its selectors reach; `undefined` for every namespace. */
  readonly namespace: string | undefined;
  readonly findings: readonly Finding[];
}

/**
 * Reads a stored VirtualService. It may be older than the rules: a listener that breaks one is to be left out, and the others are served.
 */
export function readService(object: WatchedObject): ReadService {
  const { namespace: own } = keyOf(object);
  const namespace = object.metadata.annotations?.[MESH_ANNOTATIONS.scope] === "cluster" ? undefined : own;
  const findings = checkSchema(VirtualServiceSpec, object.spec, ["spec"]);
  const errors = findings.filter(({ severity, rule }) => severity === "error" && rule !== "unknown-field");
  const broken = new Set(errors.map(({ path }) => path[1] === "listeners" ? Number(path[2]) : NaN));
  if (broken.has(NaN)) return { broken: new Set(), namespace, findings };
  const spec = dropNulls(VirtualServiceSpec, object.spec as VirtualServiceSpec); // what is wrong with it is in those listeners
  return { spec, broken, namespace, findings };
}
