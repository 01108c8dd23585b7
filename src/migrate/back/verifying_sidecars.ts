import type { DiscoveryServiceCertificate } from "../../api/operator/mod.ts";
import type { KubeObject } from "../../install/mod.ts";
import { counted } from "../counted.ts";
import type { Inventory } from "../inventory.ts";
import { CERTIFICATES } from "../operator_kinds.ts";
import { kubectl, type Remark } from "../remark.ts";
import { PODS } from "../sidecars.ts";

/** By this argument an Envoy verifies its discovery service, which those of MARIN3R never do. */
const VERIFIES = "--ca-certificate-file";
/** The share of a certificate's life that is left when MARIN3R issues it anew. */
const RENEWED_BEFORE = 0.2;

interface Pod {
  readonly spec?: { readonly initContainers?: readonly { readonly args?: readonly string[] }[] };
}

/**
 * Pods with sidecars of our webhook. They go on as they are until the discovery service shows a certificate of MARIN3R's, which lacks the
 * name that they dial.
 */
export function verifyingSidecars(inventory: Inventory): Remark[] {
  const pods = inventory.of<Pod>(PODS).filter(({ spec }) =>
    spec?.initContainers?.some(({ args = [] }) => args.includes(VERIFIES))
  );
  return [...Map.groupBy(pods, namespaceOf)].map(([namespace, some]) => {
    const until = renewalIn(namespace, inventory);
    return {
      weight: "changes",
      object: null,
      message: `the sidecars of ${counted(some.length, "pod")} in namespace ${JSON.stringify(namespace)} verify the ` +
        `discovery service, and lose it when MARIN3R gives it a certificate${
          until === undefined ? "" : ` (${until})`
        }: ` +
        "make the pods anew once its webhook answers",
      next: kubectl(some[0]!, restart(some)), // groups are not empty
    };
  });
}

/** The day on which MARIN3R issues a server certificate of the namespace anew, where it is known. */
function renewalIn(namespace: string, inventory: Inventory): string | undefined {
  const times = inventory.of<Partial<DiscoveryServiceCertificate>>(CERTIFICATES)
    .filter((one) => namespaceOf(one) === namespace && one.spec?.server)
    .map(({ status: { notBefore = "", notAfter = "" } = {} }) => [Date.parse(notBefore), Date.parse(notAfter)] as const)
    .map(([from, to]) => to - (to - from) * RENEWED_BEFORE)
    .filter((at) => !Number.isNaN(at));
  return times.length === 0 ? undefined : new Date(Math.min(...times)).toISOString().slice(0, 10);
}

/** `rollout restart` for what makes them; of pods that nobody makes anew a deletion is all there is. */
function restart(pods: readonly KubeObject[]): string {
  const makers = new Set(pods.map(makerOf));
  if (!makers.has(undefined)) return `rollout restart ${[...makers].sort().join(" ")}`;
  return `delete pod ${pods.map(({ metadata: { name } }) => name).join(" ")}`;
}

/** A Deployment's pods are those of a ReplicaSet that is called after it and the hash of their template. */
function makerOf({ metadata }: KubeObject): string | undefined {
  const { ownerReferences = [] } = metadata as {
    ownerReferences?: readonly { readonly kind: string; readonly name: string; readonly controller?: boolean }[];
  };
  const owner = ownerReferences.find(({ controller }) => controller);
  const hash = metadata.labels?.["pod-template-hash"];
  if (owner?.kind === "ReplicaSet" && hash !== undefined && owner.name.endsWith(`-${hash}`)) {
    return `deployment/${owner.name.slice(0, -hash.length - 1)}`;
  }
  return owner && ["StatefulSet", "DaemonSet"].includes(owner.kind)
    ? `${owner.kind.toLowerCase()}/${owner.name}`
    : undefined;
}

function namespaceOf({ metadata: { namespace = "default" } }: KubeObject): string {
  return namespace;
}
