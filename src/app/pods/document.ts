import type { LabelSelector } from "../../api/mod.ts";
import type { DiscoveryService, EnvoyDeployment } from "../../api/operator/mod.ts";
import type { LiveObject, Pod } from "../../pods/mod.ts";

/** What a program of an installation is started with. */
export interface ProgramDocument {
  /** Its Deployment, as NAMESPACE/NAME. */
  readonly deployment: string;
  readonly args: readonly string[];
  /** Variables that have a value of their own. */
  readonly env: Readonly<Record<string, string>>;
}

/** A webhook that the API server asks about pods. */
export interface InjectorDocument {
  /** Name of its configuration. */
  readonly configuration: string;
  /** The namespaces whose pods it is asked about; all when absent. */
  readonly namespaces?: LabelSelector | undefined;
  /** `undefined` where it does not run in a Deployment of the cluster, or none is to be found. */
  readonly program: ProgramDocument | undefined;
}

/** What is installed, as far as pods are made of it. */
export interface ProgramsDocument {
  readonly injectors: readonly InjectorDocument[];
  readonly operators: readonly ProgramDocument[];
}

/** Pods at one look, and all that they are judged by. */
export interface PodsDocument {
  /** RFC 3339. */
  readonly now: string;
  readonly pods: readonly Pod[];
  /** ReplicaSets, Deployments, DaemonSets and StatefulSets that pods belong to. */
  readonly owners: readonly LiveObject[];
  readonly services: readonly DiscoveryService[];
  readonly envoyDeployments: readonly EnvoyDeployment[];
  /** `undefined` where nobody asked for it. */
  readonly programs: ProgramsDocument | undefined;
}
