import type { DiscoveryService, EnvoyDeployment } from "../api/operator/mod.ts";
import type { Owners } from "./owners.ts";

/** Which images a program gives to those who name none. */
export interface Images {
  /** Of Chancery, for what runs beside Envoy. */
  readonly image: string;
  /** Of Envoy; that of this version when undefined. */
  readonly envoyImage: string | undefined;
}

/** All that decides what a pod would be if it was made now. */
export interface PodWorld {
  readonly owners: Owners;
  servicesIn(namespace: string): readonly DiscoveryService[];
  envoyDeployment(namespace: string, name: string): EnvoyDeployment | undefined;
  /** What the webhook that is asked about pods of a namespace puts into them; a text says why nobody does. */
  injector(namespace: string): Images | string;
  /** What the operator of a namespace goes by; `undefined` where there is none, so that nothing changes. */
  operator(namespace: string): Images | undefined;
}
