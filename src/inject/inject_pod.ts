import { type Finding, hasErrors } from "../base/mod.ts";
import { type Additions, addTo, patchFor, type PatchOperation } from "./additions.ts";
import { PREFIX } from "./annotations/names.ts";
import { quoted } from "./annotations/reader.ts";
import { readSidecarSettings, type SidecarSettings } from "./annotations/settings.ts";
import { type Discovery } from "./discovery.ts";
import { extraHooks } from "./hooks.ts";
import { isObject, type JsonObject, listIn, namesIn, objectIn } from "./json.ts";
import { presentSidecar } from "./present_sidecar.ts";
import { gracePeriodSeconds } from "./shutdown_container.ts";
import { type Sidecar, sidecarOf } from "./sidecar.ts";
import { sidecarSecurity } from "./strictness.ts";

/** Options of {@linkcode injectPod}. */
export interface InjectOptions {
  /** Image of Chancery, for the helpers beside Envoy. */
  readonly image: string;
  /** Image of Envoy for pods that name none; that of this version when undefined. */
  readonly envoyImage?: string | undefined;
  /** Finds the discovery service of that name, or the only one; a text says why there is none. */
  discovery(name: string | undefined): Discovery | string;
  /** What only the hook of the pod knows (S5); a text without blanks. Anybody may drain the pod without one. */
  readonly drainToken?: string;
  /** Why the cluster knows no native sidecars; absent where it does. */
  readonly noNativeSidecars?: string;
}

/** What becomes of a pod. */
export type Injection =
  | {
    readonly kind: "injected";
    readonly pod: JsonObject;
    readonly patch: readonly PatchOperation[];
    readonly findings: readonly Finding[];
  }
  /** It has a sidecar already. */
  | { readonly kind: "present"; readonly findings: readonly Finding[] }
  | { readonly kind: "refused"; readonly findings: readonly Finding[] };

/**
 * A pod with the sidecar that its annotations ask for. Whatever the pod has stays as it is (C10); a pod that has a
 * sidecar is left alone (C20);
 * all that is wrong is told at once (C15). Pure; takes anything that can be in JSON.
 */
export function injectPod(pod: unknown, options: InjectOptions): Injection {
  if (!isObject(pod) || !isObject(pod.spec) || !Array.isArray(pod.spec.containers)) {
    return refused([{ severity: "error", path: ["spec", "containers"], message: "is missing", rule: "pod" }]);
  }
  const present = presentSidecar(pod.spec);
  if (present !== undefined) {
    const message = `the pod has the sidecar ${quoted(present)} already; nothing is added`;
    return { kind: "present", findings: [{ severity: "warning", path: ["spec"], message, rule: "present" }] };
  }
  const annotations = objectIn(objectIn(pod, "metadata"), "annotations");
  const { settings, findings } = readSidecarSettings(annotations, options);
  const found = [...findings, ...modeFindings(pod.spec, { settings, options })];
  const discovery = options.discovery(settings.discoveryService);
  const security = sidecarSecurity(pod);
  const known = typeof discovery === "string" ? NOWHERE : discovery;
  const sidecar = sidecarOf(settings, { discovery: known, security, drainToken: options.drainToken });
  if (typeof discovery === "string") {
    found.push({ ...annotated("error", "discovery-service.name", discovery), rule: "discovery-service" });
  } else if (settings.clientSecret !== undefined && settings.clientSecret === discovery.authoritySecret) {
    const message = `${quoted(settings.clientSecret)} is the Secret of the certificate authority, which no Envoy shows`;
    found.push(annotated("error", "client-certificate", message));
  }
  found.push(...clashes(pod.spec, sidecar));
  const { shutdown, hooks: names } = settings;
  const injected = namesIn([...sidecar.initContainers, ...sidecar.containers]);
  const { hooks, findings: ofHooks } = shutdown
    ? extraHooks(pod.spec, { names, port: shutdown.port, injected })
    : { hooks: [], findings: [] };
  found.push(...ofHooks);
  if (hasErrors(found)) return refused(found);
  const additions: Additions = { ...sidecar, hooks, gracePeriodSeconds: longerGrace(pod.spec, settings) };
  return { kind: "injected", pod: addTo(pod, additions), patch: patchFor(pod, additions), findings: found };
}

/** Stands where there is no discovery service, so that everything else that is wrong is found, too. */
const NOWHERE: Discovery = { host: "", port: 0, bundle: undefined, clientSecret: () => "" };

/** What of the mode does not fit the pod or the cluster. */
function modeFindings(
  spec: JsonObject,
  { settings, options }: { settings: SidecarSettings; options: InjectOptions },
): Finding[] {
  if (settings.mode !== "native") return [];
  const { noNativeSidecars: why } = options;
  const findings = why === undefined
    ? []
    : [annotated("error", "sidecar-mode", `native sidecars are not to be had: ${why}`)];
  const abrupt = listIn(spec, "containers").filter((one) =>
    !isObject(objectIn(one, "lifecycle").preStop) && !namesIn([one]).some((name) => settings.hooks.includes(name))
  );
  if (settings.shutdown && abrupt.length > 0) {
    const message = `${namesIn(abrupt).slice(0, 20).map(quoted).join(", ")} is told to end before Envoy has drained: ` +
      `give it a preStop hook, or name it in ${PREFIX}shutdown-manager.extra-lifecycle-hooks`;
    findings.push(annotated("warning", "sidecar-mode", message));
  }
  return findings;
}

/** Names that the pod has already. */
function clashes(spec: JsonObject, sidecar: Sidecar): Finding[] {
  const findings: Finding[] = [];
  const containers = namesIn([...listIn(spec, "initContainers"), ...listIn(spec, "containers")]);
  for (
    const name of namesIn([...sidecar.initContainers, ...sidecar.containers]).filter((name) =>
      containers.includes(name)
    )
  ) {
    const hint = name.startsWith("envoy-") && name !== "envoy-sidecar"
      ? ""
      : `; ${PREFIX}container-name says another one`;
    const message = `the pod has a container ${quoted(name)} already, which is no sidecar${hint}`;
    findings.push({ severity: "error", path: ["spec", "containers"], message, rule: "name-taken" });
  }
  const volumes = namesIn(listIn(spec, "volumes"));
  for (const name of namesIn(sidecar.volumes).filter((name) => volumes.includes(name))) {
    const message = `the pod has a volume ${
      quoted(name)
    } already; ${PREFIX}tls-volume and ${PREFIX}config-volume say others`;
    findings.push({ severity: "error", path: ["spec", "volumes"], message, rule: "name-taken" });
  }
  return findings;
}

/** Never less than the user gave (C12); `undefined` where that is enough. */
function longerGrace(
  { terminationGracePeriodSeconds: given }: JsonObject,
  settings: SidecarSettings,
): number | undefined {
  if (!settings.shutdown) return undefined;
  const needed = gracePeriodSeconds(settings);
  return typeof given === "number" && given >= needed ? undefined : needed;
}

function annotated(severity: Finding["severity"], name: string, message: string): Finding {
  return { severity, path: ["metadata", "annotations", `${PREFIX}${name}`], message, rule: "annotation" };
}

function refused(findings: readonly Finding[]): Injection {
  return { kind: "refused", findings };
}
