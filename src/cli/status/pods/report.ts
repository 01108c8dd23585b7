import type { PodsDocument } from "../../../app/pods/mod.ts";
import {
  envoyFacts,
  type Images,
  judgePod,
  Owners,
  type Pod,
  type PodDifference,
  type PodRole,
  type PodState,
  type PodWorld,
} from "../../../pods/mod.ts";
import type { Problem } from "../problems.ts";
import { imagesOf } from "./images.ts";
import type { PodCommands } from "./next.ts";
import { problemsOf } from "./problems.ts";

/** One pod in `chancery status pods -o json`. Every field is there in every item; what is not known is null. */
export interface PodItem {
  readonly namespace: string;
  readonly name: string;
  readonly role: PodRole;
  /** `Current`, `Old`, `Missing` (a sidecar that is asked for), `MARIN3R`, `Unknown` or `Ending`. */
  readonly state: PodState;
  /** What of it is old: `image`, `bootstrap`, `injection`, `template`. */
  readonly old: readonly PodDifference["part"][];
  readonly createdAt: string | null;
  readonly nodeId: string | null;
  /** Image of its Envoy. */
  readonly envoyImage: string | null;
  /** Image of Chancery in it. */
  readonly image: string | null;
  /** Who makes it anew. */
  readonly owner: { readonly apiVersion: string; readonly kind: string; readonly name: string } | null;
  readonly differences: readonly PodDifference[];
  readonly problems: readonly Problem[];
}

/** The whole of `chancery status pods -o json`: fields are added here, never removed or given another meaning. */
export interface PodsReport {
  readonly version: 1;
  readonly server: string;
  readonly now: string;
  /** Every pod is what it would be now, or about to end. */
  readonly current: boolean;
  readonly items: readonly PodItem[];
}

/** Makes the report of what was found. Throws when nobody can tell what pods would be. */
export function podsReport(
  document: PodsDocument,
  { server, wanted, said, commands }: {
    server: string;
    wanted: (pod: Pod) => boolean;
    /** Images that somebody says. */
    said: Partial<Images>;
    commands: PodCommands;
  },
): PodsReport {
  const world = worldOf(document, said);
  const items = document.pods.filter(wanted).flatMap((pod) => podItem(pod, world, commands) ?? [])
    .sort((a, b) => (`${a.namespace}/${a.name}` < `${b.namespace}/${b.name}` ? -1 : 1));
  const current = items.every(({ state }) => state === "Current" || state === "Ending");
  return { version: 1, server, now: document.now, current, items };
}

function worldOf({ owners, services, envoyDeployments, programs }: PodsDocument, said: Partial<Images>): PodWorld {
  const byNamespace = Map.groupBy(services, ({ metadata: { namespace = "default" } }) => namespace);
  return {
    ...imagesOf(programs, said),
    owners: new Owners(owners),
    servicesIn: (namespace) => byNamespace.get(namespace) ?? [],
    envoyDeployment: (namespace, name) =>
      envoyDeployments.find(({ metadata }) => metadata.namespace === namespace && metadata.name === name),
  };
}

function podItem(pod: Pod, world: PodWorld, commands: PodCommands): PodItem | undefined {
  const verdict = judgePod(pod, world);
  if (!verdict) return undefined;
  const { namespace = "default", name, creationTimestamp = null } = pod.metadata;
  const { nodeId = null, envoyImage = null, image = null } = envoyFacts(pod);
  const { role, state, differences, owner = null } = verdict;
  return {
    ...{ namespace, name, role, state },
    old: [...new Set(differences.map(({ part }) => part))].sort(),
    ...{ createdAt: creationTimestamp, nodeId, envoyImage, image, owner, differences },
    problems: problemsOf(verdict, { pod: { namespace, name }, commands }),
  };
}
