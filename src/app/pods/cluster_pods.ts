import {
  DISCOVERY_SERVICE,
  type DiscoveryService,
  ENVOY_DEPLOYMENT,
  type EnvoyDeployment,
  MANAGED_LABELS,
} from "../../api/operator/mod.ts";
import { systemClock, wait } from "../../base/mod.ts";
import { INJECTION_LABEL } from "../../inject/mod.ts";
import type { LiveObject, Pod } from "../../pods/mod.ts";
import { controllerOf } from "../../reconcile/engine/mod.ts";
import { ApiError, type KubeConnection, resourceOf } from "../../store/kubernetes/mod.ts";
import type { StoredObject } from "../../store/mod.ts";
import { ClusterAccess, type ClusterAccessOptions, connectAsUser } from "../cluster_access/mod.ts";
import type { PodsDocument } from "./document.ts";
import { readPrograms } from "./programs.ts";

/** Which pods are meant. */
export interface PodsQuery {
  /** All of them when absent. */
  readonly namespace?: string | undefined;
  /** Whether it is looked what is installed, which needs rights beyond a namespace. */
  readonly programs: boolean;
}

/** Labels of the pods that are looked at, which their ReplicaSets have, too: those with sidecars, and those that the operator makes. */
const INJECTED: Labels = { [INJECTION_LABEL.name]: INJECTION_LABEL.value };
const MADE: Labels = MANAGED_LABELS;
type Labels = Readonly<Record<string, string>>;

/** Kinds that need announcing. */
const RESOURCES = [
  resourceOf(DISCOVERY_SERVICE),
  resourceOf(ENVOY_DEPLOYMENT),
  { apiVersion: "apps/v1", kind: "ReplicaSet", plural: "replicasets" },
  { apiVersion: "apps/v1", kind: "StatefulSet", plural: "statefulsets" },
  {
    ...{ apiVersion: "admissionregistration.k8s.io/v1", kind: "MutatingWebhookConfiguration" },
    ...{ plural: "mutatingwebhookconfigurations", clusterScoped: true },
  },
];

/** A cluster as whoever the kubeconfig names may see it. Asks nothing yet. */
export async function openPods(options: ClusterAccessOptions): Promise<ClusterPods> {
  return new ClusterPods(await connectAsUser(options));
}

/** See {@linkcode openPods}. Needs to list pods, what they belong to, and our kinds; changes nothing. */
export class ClusterPods extends ClusterAccess {
  constructor(connection: KubeConnection) {
    super(connection, RESOURCES);
  }

  async look({ namespace, programs }: PodsQuery): Promise<PodsDocument> {
    const [injected, made, services, envoyDeployments, found] = await Promise.all([
      this.#list("Pod", { namespace, matchLabels: INJECTED }),
      this.#list("Pod", { namespace, matchLabels: MADE }),
      this.#ours(DISCOVERY_SERVICE.kind, namespace),
      this.#ours(ENVOY_DEPLOYMENT.kind, namespace),
      programs ? readPrograms(this.store) : undefined,
    ]);
    const pods = [...new Map([...injected, ...made].map((pod) => [pod.metadata.uid, pod])).values()];
    return {
      now: new Date(systemClock.now()).toISOString(),
      pods: pods as unknown as readonly Pod[], // these four by their kinds
      owners: await this.#ownersOf({ injected, made }, namespace) as unknown as readonly LiveObject[],
      services: services as unknown as readonly DiscoveryService[],
      envoyDeployments: envoyDeployments as unknown as readonly EnvoyDeployment[],
      programs: found,
    };
  }

  /** Looks again and again, so many milliseconds apart, until the signal. */
  async *follow(
    query: PodsQuery,
    { everyMs, signal }: { everyMs: number; signal?: AbortSignal },
  ): AsyncGenerator<PodsDocument> {
    do yield await this.look(query); while (
      await wait(everyMs, { clock: systemClock, signals: signal ? [signal] : [] })
    );
  }

  /** Only kinds that there are pods of are asked for, so that nobody needs a right for nothing. */
  async #ownersOf(
    { injected, made }: { readonly injected: readonly StoredObject[]; readonly made: readonly StoredObject[] },
    namespace: string | undefined,
  ): Promise<readonly StoredObject[]> {
    const [users, ours] = [new Set(injected.map(controllerKind)), new Set(made.map(controllerKind))];
    const lists = [
      ...(users.has("ReplicaSet") ? [this.#list("ReplicaSet", { namespace, matchLabels: INJECTED })] : []),
      // Their own labels need not be those of their pods.
      ...["DaemonSet", "StatefulSet"].filter((kind) => users.has(kind)).map((kind) => this.#list(kind, { namespace })),
      ...(ours.has("ReplicaSet") ? ["ReplicaSet", "Deployment"] : []).map((kind) =>
        this.#list(kind, { namespace, matchLabels: MADE })
      ),
      ...(ours.has("DaemonSet") ? [this.#list("DaemonSet", { namespace, matchLabels: MADE })] : []),
    ];
    return (await Promise.all(lists)).flat();
  }

  async #list(
    kind: string,
    { namespace, matchLabels }: {
      namespace: string | undefined;
      matchLabels?: Readonly<Record<string, string>> | undefined;
    },
  ): Promise<readonly StoredObject[]> {
    const { items } = await this.store.list(kind, {
      ...(namespace !== undefined && { namespace }),
      ...(matchLabels && { labels: { matchLabels } }),
    });
    return items;
  }

  /** None where the API server has no such kind. */
  async #ours(kind: string, namespace: string | undefined): Promise<readonly StoredObject[]> {
    return await this.#list(kind, { namespace }).catch((thrown) => {
      if (thrown instanceof ApiError && thrown.status === 404) return [];
      throw thrown;
    });
  }
}

function controllerKind(object: StoredObject): string | undefined {
  return controllerOf(object)?.kind;
}
