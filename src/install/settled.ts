import type { KubeObject } from "./kube_object.ts";

interface Live {
  readonly metadata: { readonly generation?: number };
  readonly spec?: { readonly replicas?: number };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly replicas?: number;
    readonly updatedReplicas?: number;
    readonly availableReplicas?: number;
    readonly conditions?: readonly { type: string; status: string; reason?: string; message?: string }[];
  };
  readonly webhooks?: readonly { readonly clientConfig?: { readonly caBundle?: string } }[];
}

/** What is still to come before an object does what it is there for; `undefined` when nothing is. */
export function unsettled(object: KubeObject): string | undefined {
  return RULES[object.kind]?.(object as unknown as Live); // every member of it is optional
}

const RULES: Readonly<Record<string, (live: Live) => string | undefined>> = {
  CustomResourceDefinition({ status }) {
    const refused = status?.conditions?.find(({ type, status }) => type === "NamesAccepted" && status === "False");
    if (refused) return refused.message ?? "another kind has its names";
    return isTrue(status, "Established") ? undefined : "the API server does not serve it yet";
  },
  Deployment({ metadata, spec, status }) {
    const wanted = spec?.replicas ?? 1;
    const failure = status?.conditions?.find(({ type, status }) => type === "ReplicaFailure" && status === "True");
    if (failure) return `no pods can be made: ${failure.message ?? failure.reason}`;
    if ((status?.observedGeneration ?? 0) < (metadata.generation ?? 0)) return "it has not been looked at yet";
    const available = Math.min(status?.updatedReplicas ?? 0, status?.availableReplicas ?? 0);
    if (available < wanted) return `${available} of ${wanted} pods are ready`;
    const old = (status?.replicas ?? 0) - (status?.updatedReplicas ?? 0);
    return old > 0 ? `${old} ${old === 1 ? "pod" : "pods"} of before still ${old === 1 ? "ends" : "end"}` : undefined;
  },
  MutatingWebhookConfiguration: trusts,
  ValidatingWebhookConfiguration: trusts,
};

function trusts({ webhooks = [] }: Live): string | undefined {
  const trusting = webhooks.every(({ clientConfig }) => (clientConfig?.caBundle ?? "") !== "");
  return trusting ? undefined : "the certificate of the webhook is not trusted yet";
}

function isTrue(status: Live["status"], type: string): boolean {
  return status?.conditions?.some((condition) => condition.type === type && condition.status === "True") ?? false;
}

interface LivePod {
  readonly metadata: { readonly name: string };
  readonly status?: {
    readonly conditions?: readonly { type: string; status: string; reason?: string; message?: string }[];
    readonly initContainerStatuses?: readonly LiveContainer[];
    readonly containerStatuses?: readonly LiveContainer[];
  };
}

interface LiveContainer {
  readonly name: string;
  readonly ready?: boolean;
  readonly state?: {
    readonly waiting?: { readonly reason?: string; readonly message?: string };
    readonly terminated?: { readonly reason?: string; readonly exitCode?: number };
  };
}

/** What keeps pods from running, a line each: why no node takes one, or why a container does not start. */
export function podProblems(pods: readonly unknown[]): string[] {
  return (pods as readonly LivePod[]).flatMap(({ metadata: { name }, status = {} }) => { // as the API server gives them
    const scheduled = status.conditions?.find(({ type }) => type === "PodScheduled");
    if (scheduled?.status === "False") return [`${name}: ${scheduled.message ?? scheduled.reason}`];
    return [...status.initContainerStatuses ?? [], ...status.containerStatuses ?? []].flatMap(({ state }) => {
      const { waiting, terminated } = state ?? {};
      if (waiting) return [`${name}: ${[waiting.reason, waiting.message].filter(Boolean).join(": ")}`];
      return terminated && terminated.exitCode !== 0 ? [`${name}: ended with exit code ${terminated.exitCode}`] : [];
    });
  });
}
