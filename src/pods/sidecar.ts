import { canonicalJson, type Finding, hasErrors, type PathSegment } from "../base/mod.ts";
import { INJECTION_LABEL, type InjectOptions, injectPod, uninjectPod } from "../inject/mod.ts";
import { differ, type PodDifference, podDifferences } from "./differences.ts";
import { argumentOf, containersOf, type Pod } from "./pod.ts";

/** How the sidecar of a pod stands to the one that it would be given now. */
export type SidecarReading =
  /** It has none; `asked` says whether it asks for one. */
  | { readonly kind: "absent"; readonly asked: boolean }
  /** MARIN3R's webhook has put it there. */
  | { readonly kind: "older" }
  | { readonly kind: "compared"; readonly differences: readonly PodDifference[] };

/** A reading, and why a pod like it would not be made now; no finding where it would. */
export interface ComparedSidecar {
  readonly reading: SidecarReading;
  readonly refusal: readonly Finding[];
}

/** What the hook of a pod would show whose own shows nothing. */
const SOME_TOKEN = "another";

/**
 * Compares the sidecar of a pod with what would be put into the same pod now: takes it out, puts one in, and looks what differs. With
 * `byTemplate` it came from manifests that had it already, which the webhook leaves alone and which know no token of a hook.
 */
export function compareSidecar(
  pod: Pod,
  { byTemplate, ...options }: Omit<InjectOptions, "drainToken"> & { readonly byTemplate: boolean },
): ComparedSidecar {
  const taken = uninjectPod(pod);
  if (taken.kind === "absent") {
    const asked = pod.metadata.labels?.[INJECTION_LABEL.name] === INJECTION_LABEL.value;
    return { reading: { kind: "absent", asked }, refusal: asked ? refusalOf(injectPod(pod, options)) : [] };
  }
  const bare = without(pod, taken.remove);
  const own = containersOf(pod.spec);
  const shown = own.map((container) => argumentOf(container, "--drain-token")).find((token) => token !== undefined);
  const drainToken = shown ?? (byTemplate ? undefined : SOME_TOKEN);
  const injection = injectPod(bare, { ...options, ...(drainToken !== undefined && { drainToken }) });
  const refusal = refusalOf(injection);
  const writer = own.find(({ args }) => args?.[0] === "init-manager");
  // MARIN3R's knows no such thing, and ours has always had it.
  if (argumentOf(writer, "--readiness") === undefined) return { reading: { kind: "older" }, refusal };
  if (injection.kind !== "injected") return { reading: { kind: "compared", differences: [] }, refusal };
  const would = injection.pod as unknown as Pod; // the same pod with more in it
  return { reading: { kind: "compared", differences: differencesTo(would, { pod, bare }) }, refusal };
}

function refusalOf(injection: ReturnType<typeof injectPod>): readonly Finding[] {
  return injection.kind === "refused" ? injection.findings.filter((finding) => hasErrors([finding])) : [];
}

/** `bare` has nothing of a sidecar. */
function differencesTo(would: Pod, { pod, bare }: { pod: Pod; bare: Pod }): PodDifference[] {
  const users = new Set(containersOf(bare.spec).map(({ name }) => name));
  const volumes = new Set((bare.spec.volumes ?? []).map(({ name }) => name));
  const injected = (one: Pod) => ({
    initContainers: (one.spec.initContainers ?? []).filter(({ name }) => !users.has(name)),
    containers: one.spec.containers.filter(({ name }) => !users.has(name)),
    volumes: (one.spec.volumes ?? []).filter(({ name }) => !volumes.has(name)),
  });
  const [is, wanted] = [injected(pod), injected(would)];
  const kept = new Set(containersOf(wanted).map(({ name }) => name));
  const gone = containersOf(is).filter(({ name }) => !kept.has(name));
  const grace = [pod, would].map(({ spec }) => `${spec.terminationGracePeriodSeconds ?? 30}s`) as [string, string]; // of two
  return [
    ...podDifferences(is, wanted),
    ...gone.flatMap(({ name }) => differ("injection", `container ${name}`, ["there", null])),
    ...containersOf(would.spec).filter(({ name }) => users.has(name)).flatMap(({ name, lifecycle }) => {
      const own = containersOf(pod.spec).find((container) => container.name === name)?.lifecycle;
      if (canonicalJson(own?.preStop) === canonicalJson(lifecycle?.preStop)) return [];
      return [{ part: "injection", about: `preStop of ${name}`, is: null, would: null } as const];
    }),
    ...differ("injection", "grace period", grace),
  ];
}

/** A pod without what is at these paths, taken away one after the other. */
function without(pod: Pod, paths: readonly (readonly PathSegment[])[]): Pod {
  const copy = structuredClone(pod);
  for (const path of paths) {
    const parents = path.slice(0, -1);
    const last = path.at(-1);
    const parent = parents.reduce<unknown>((found, step) => (found as Record<PathSegment, unknown>)[step], copy); // it is there
    if (Array.isArray(parent)) parent.splice(Number(last), 1);
    else delete (parent as Record<PathSegment, unknown>)[last ?? ""];
  }
  // Whoever has nothing but a sidecar beside it has no list of init containers.
  return { ...copy, spec: { ...copy.spec, containers: copy.spec.containers ?? [] } };
}
