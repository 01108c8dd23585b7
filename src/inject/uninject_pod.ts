import type { Finding, PathSegment } from "../base/mod.ts";
import { isObject, type JsonObject, listIn, namesIn, objectIn } from "./json.ts";
import { PATHS } from "./options.ts";
import { presentSidecar } from "./present_sidecar.ts";
import { RESERVE_S } from "./shutdown_container.ts";

/** What becomes of a pod that is to have no sidecar. */
export type Uninjection =
  /** Paths of what goes, to be taken away one after the other. */
  | {
    readonly kind: "removed";
    readonly remove: readonly (readonly PathSegment[])[];
    readonly findings: readonly Finding[];
  }
  /** It has none. */
  | { readonly kind: "absent" };

const LISTS = ["initContainers", "containers"] as const;
/** The helpers by their names, and what each is told to be, since somebody else may have a container of that name. */
const HELPERS: Readonly<Record<string, string>> = {
  "envoy-init-mgr": "init-manager",
  "envoy-shtdn-mgr": "shutdown-manager",
};

/**
 * What of a pod its sidecar consists of, whether it is ours or MARIN3R's: the inverse of `injectPod()`. Label and annotations were there
 * before and stay. Pure; takes anything that can be in JSON.
 */
export function uninjectPod(pod: unknown): Uninjection {
  const spec = objectIn(pod, "spec");
  const sidecar = presentSidecar(spec);
  if (sidecar === undefined) return { kind: "absent" };
  const goes = (container: unknown) =>
    namesIn([container]).some((name) => name === sidecar || isHelper(container, name));
  const gone = LISTS.flatMap((list) => listIn(spec, list).filter(goes));
  const stays = LISTS.flatMap((list) => listIn(spec, list).filter((one) => !goes(one)));
  const envoy = gone.find((one) => namesIn([one]).includes(sidecar));
  const shutdown = gone.find((one) => listIn(one, "args")[0] === HELPERS["envoy-shtdn-mgr"]);
  const volumes = volumesOf(envoy, stays);
  const grace = shutdown === undefined ? undefined : graceOf(spec, envoy);
  return {
    kind: "removed",
    remove: [
      ...(shutdown === undefined ? [] : hookPaths(spec, { port: Number(argumentOf(shutdown, "--port")), goes })),
      ...LISTS.flatMap((list) => without(spec, { list, goes })),
      ...without(spec, { list: "volumes", goes: (volume) => namesIn([volume]).some((name) => volumes.includes(name)) }),
      ...(grace === undefined ? [] : [["spec", "terminationGracePeriodSeconds"]]),
    ],
    findings: grace === undefined ? [] : [{
      severity: "warning",
      path: ["spec", "terminationGracePeriodSeconds"],
      message: `${grace} goes with the sidecar whose drain it was for; what was said before is not known`,
      rule: "grace-period",
    }],
  };
}

function isHelper(container: unknown, name: string): boolean {
  return Object.hasOwn(HELPERS, name) && listIn(container, "args")[0] === HELPERS[name];
}

/** The items of a list that go, the last one first; the list itself when nothing would be left. */
function without(
  spec: JsonObject,
  { list, goes }: { list: string; goes: (item: unknown) => boolean },
): (readonly PathSegment[])[] {
  const items = listIn(spec, list);
  const found = items.flatMap((item, index) => (goes(item) ? [["spec", list, index]] : []));
  return found.length > 0 && found.length === items.length ? [["spec", list]] : found.reverse();
}

/** The volumes that were made for an Envoy: those at its two places, unless somebody else uses them, too. */
function volumesOf(envoy: unknown, others: readonly unknown[]): readonly string[] {
  const mounts = (container: unknown) => listIn(container, "volumeMounts").filter(isObject);
  const used = others.flatMap(mounts).map(({ name }) => name);
  return mounts(envoy)
    .filter(({ mountPath }) => mountPath === PATHS.clientCertificate || mountPath === PATHS.bootstrap)
    .flatMap(({ name }) => (typeof name === "string" && !used.includes(name) ? [name] : []));
}

/** The preStop hooks that wait for the drain, and the lifecycles that consist of nothing else. */
function hookPaths(
  spec: JsonObject,
  { port, goes }: { port: number; goes: (container: unknown) => boolean },
): (readonly PathSegment[])[] {
  return LISTS.flatMap((list) =>
    listIn(spec, list).flatMap((container, index) => {
      const lifecycle = objectIn(container, "lifecycle");
      const asked = objectIn(objectIn(lifecycle, "preStop"), "httpGet");
      if (goes(container) || asked.port !== port || !["/shutdown", "/drain"].includes(String(asked.path))) return [];
      const whole = Object.keys(lifecycle).length === 1;
      return [["spec", list, index, "lifecycle", ...(whole ? [] : ["preStop"])]];
    })
  );
}

/** The grace period, if it is the one that goes with the drain: with a reserve from us, without one from MARIN3R. */
function graceOf({ terminationGracePeriodSeconds: grace }: JsonObject, envoy: unknown): number | undefined {
  const drain = Number(argumentOf(envoy, "--drain-time-s"));
  return typeof grace === "number" && [drain, drain + RESERVE_S].includes(grace) ? grace : undefined;
}

/** What follows a flag among the arguments of a container. */
function argumentOf(container: unknown, flag: string): unknown {
  const args = listIn(container, "args");
  const at = args.indexOf(flag);
  return at < 0 ? undefined : args[at + 1];
}
