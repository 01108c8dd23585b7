import { discoveryIn, INJECTION_LABEL, uninjectPod } from "../inject/mod.ts";
import { envoyDeploymentSettings, MANAGED_LABELS } from "../api/operator/mod.ts";
import type { Finding } from "../base/mod.ts";
import { type PodDifference, podDifferences } from "./differences.ts";
import type { PodOwner } from "./owners.ts";
import { argumentOf, type Container, containersOf, type Pod, type PodSpec } from "./pod.ts";
import { compareSidecar } from "./sidecar.ts";
import type { Images, PodWorld } from "./world.ts";

/** What runs in a pod: an Envoy beside somebody's program, an Envoy of an EnvoyDeployment, or a discovery service. */
export type PodRole = "sidecar" | "envoy" | "discovery-service";

/**
 * How a pod stands to what it would be now. `Missing`: it asks for a sidecar and has none; `MARIN3R`: its sidecar is MARIN3R's;
 * `Unknown`: nobody says what it would be; `Ending`: it is about to end, and nobody need look at it.
 */
export type PodState = "Current" | "Old" | "Missing" | "MARIN3R" | "Unknown" | "Ending";

/** What there is to say of one pod. */
export interface PodVerdict {
  readonly role: PodRole;
  readonly state: PodState;
  readonly differences: readonly PodDifference[];
  /** Why one like it would not be made now; empty where it would. */
  readonly refusal: readonly Finding[];
  /** Why nobody knows what it would be. */
  readonly unknown: string | undefined;
  readonly owner: PodOwner | undefined;
  /** Whether it came with its sidecar, so that the webhook left it alone. */
  readonly byTemplate: boolean;
  /** EnvoyDeployment or DiscoveryService that it was made for. */
  readonly madeFor: string | undefined;
  /** Whether the operator has not brought its template to what it would be now. */
  readonly behind: boolean;
}

const NOTHING = {
  differences: [],
  refusal: [],
  unknown: undefined,
  byTemplate: false,
  madeFor: undefined,
  behind: false,
};

/** Which role a pod has, as its labels say; `undefined` for all other pods. */
export function roleOf({ metadata: { labels = {} } }: Pod): PodRole | undefined {
  if (Object.entries(MANAGED_LABELS).every(([name, value]) => labels[name] === value)) {
    const component = labels["app.kubernetes.io/component"];
    if (component === "envoy-deployment") return "envoy";
    if (component === "discovery-service") return component;
  }
  return labels[INJECTION_LABEL.name] === INJECTION_LABEL.value ? "sidecar" : undefined;
}

/** Judges a pod; `undefined` for one that is none of ours, or has run to its end. Asks nobody. */
export function judgePod(pod: Pod, world: PodWorld): PodVerdict | undefined {
  const role = roleOf(pod);
  if (!role || ["Succeeded", "Failed"].includes(pod.status?.phase ?? "")) return undefined;
  const base = { ...NOTHING, role, owner: world.owners.of(pod) };
  if (pod.metadata.deletionTimestamp !== undefined) return { ...base, state: "Ending" };
  return { ...base, ...role === "sidecar" ? judgeSidecar(pod, world) : judgeOwned(pod, world) };
}

type Judged = Pick<PodVerdict, "state"> & Partial<PodVerdict>;

function judgeSidecar(pod: Pod, { owners, injector, servicesIn }: PodWorld): Judged {
  const { namespace = "default" } = pod.metadata;
  const template = owners.templateOf(pod);
  const byTemplate = template !== undefined && uninjectPod(template).kind === "removed";
  const images = injector(namespace);
  if (typeof images === "string") return { state: "Unknown", byTemplate, unknown: images };
  const { reading, refusal } = compareSidecar(pod, {
    ...{ ...images, byTemplate },
    discovery: (name) => discoveryIn(servicesIn(namespace), name),
  });
  const found = { byTemplate, refusal };
  if (reading.kind === "absent") return { ...found, state: reading.asked ? "Missing" : "Current" };
  if (reading.kind === "older") return { ...found, state: "MARIN3R" };
  const { differences } = reading;
  return { ...found, differences, state: differences.length > 0 || refusal.length > 0 ? "Old" : "Current" };
}

/** Of what the operator makes: the template goes before, and the operator's images before those of the template. */
function judgeOwned(pod: Pod, world: PodWorld): Judged {
  const { namespace = "default", labels = {} } = pod.metadata;
  const madeFor = labels["app.kubernetes.io/instance"];
  const workload = world.owners.workloadOf(pod);
  if (!workload) return { state: "Unknown", madeFor, unknown: "nobody makes pods like it any more" };
  const { object: { kind, metadata: { name } }, template, changed } = workload;
  const images = imagesFor(pod, world.operator(namespace), world);
  const would = withImages(template.spec, images);
  const found = podDifferences(pod.spec, would);
  const about = `template of ${kind} ${name}`;
  const differences = found.length === 0 && changed
    ? [{ part: "template", about, is: null, would: null } as const]
    : found;
  const behind = podDifferences(template.spec, would).length > 0;
  return { state: differences.length > 0 ? "Old" : "Current", differences, behind, madeFor };
}

type ImageOf = (container: Container) => string | undefined;

/** Which image the operator would give a container; `undefined`: that of the template. */
function imagesFor(pod: Pod, images: Images | undefined, world: PodWorld): ImageOf {
  const { namespace = "default", labels = {} } = pod.metadata;
  const name = labels["app.kubernetes.io/instance"] ?? "";
  if (!images) return () => undefined;
  if (roleOf(pod) === "discovery-service") {
    const service = world.servicesIn(namespace).find(({ metadata }) => metadata.name === name);
    return () => service && (service.spec?.image || images.image);
  }
  const deployment = world.envoyDeployment(namespace, name);
  if (!deployment) return () => undefined;
  const { spec } = deployment;
  return ({ name, args }) => {
    if (args?.[0] === "init-manager") return spec.initManager?.image || images.image;
    if (args?.[0] === "shutdown-manager") return spec.shutdownManager?.image || images.image;
    return name === "envoy" ? envoyDeploymentSettings(deployment, images).image : undefined;
  };
}

function withImages(spec: PodSpec, imageOf: ImageOf): PodSpec {
  const replaced = (containers: readonly Container[] = []) =>
    containers.map((container) => {
      const image = imageOf(container) ?? container.image;
      return { ...container, ...(image !== undefined && { image }) };
    });
  return { ...spec, initContainers: replaced(spec.initContainers), containers: replaced(spec.containers) };
}

/** What is shown of an Envoy's pod besides its state. */
export function envoyFacts({ spec }: Pod): {
  readonly nodeId: string | undefined;
  readonly envoyImage: string | undefined;
  readonly image: string | undefined;
} {
  const all = containersOf(spec);
  const envoy = all.find(({ command }) => command?.[0] === "envoy");
  const helper = all.find(({ args }) => args?.[0] === "init-manager" || args?.[0] === "discovery-service");
  return { nodeId: argumentOf(envoy, "--service-node"), envoyImage: envoy?.image, image: helper?.image };
}
