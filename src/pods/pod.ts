import type { OwnerReference } from "../api/mod.ts";
import type { KubeObject } from "../install/mod.ts";

/** What is looked at of an object that the API server tells of. */
export interface LiveObject extends KubeObject {
  readonly metadata: KubeObject["metadata"] & {
    readonly uid?: string;
    readonly creationTimestamp?: string;
    readonly deletionTimestamp?: string;
    readonly ownerReferences?: readonly OwnerReference[];
  };
}

/** A container, as far as it is compared. */
export interface Container {
  readonly name: string;
  readonly image?: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly restartPolicy?: string;
  readonly lifecycle?: { readonly preStop?: unknown };
  readonly [field: string]: unknown;
}

/** Where the content of a volume comes from, as far as it is shown. */
export interface VolumeSource {
  readonly secret?: { readonly name?: string; readonly secretName?: string };
  readonly configMap?: { readonly name?: string };
}

/** A volume, as far as it is shown. */
export interface Volume extends VolumeSource {
  readonly name: string;
  readonly projected?: { readonly sources?: readonly VolumeSource[] };
}

/** What a pod consists of, as far as it is compared. */
export interface PodSpec {
  readonly initContainers?: readonly Container[];
  readonly containers: readonly Container[];
  readonly volumes?: readonly Volume[];
  readonly terminationGracePeriodSeconds?: number;
}

/** A pod as the API server tells of it. */
export interface Pod extends LiveObject {
  readonly spec: PodSpec;
  readonly status?: { readonly phase?: string };
}

/** All containers of a pod. */
export function containersOf({ initContainers = [], containers }: PodSpec): readonly Container[] {
  return [...initContainers, ...containers];
}

/** What follows a flag among the arguments of a container. */
export function argumentOf(container: Container | undefined, flag: string): string | undefined {
  const { args = [] } = container ?? {};
  const at = args.indexOf(flag);
  return at < 0 ? undefined : args[at + 1];
}
