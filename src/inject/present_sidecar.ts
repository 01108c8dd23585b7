import { isObject, type JsonObject, listIn } from "./json.ts";
import { PATHS } from "./options.ts";

/**
 * Name of the Envoy of a pod that has been given a sidecar, by us or by MARIN3R (C20); `undefined` where there is none.
 * Both have an init
 * container of one name, and an Envoy that starts from what it writes.
 */
export function presentSidecar(spec: JsonObject): string | undefined {
  const inits = listIn(spec, "initContainers").filter(isObject);
  if (!inits.some(({ name }) => name === "envoy-init-mgr")) return undefined;
  const envoy = [...inits, ...listIn(spec, "containers").filter(isObject)]
    .find((one) => listIn(one, "command")[0] === "envoy" && listIn(one, "args").includes(PATHS.config));
  return typeof envoy?.name === "string" ? envoy.name : undefined;
}
