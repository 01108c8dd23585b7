import type { KubeClient } from "../kube/client.ts";
import type { Network } from "../machine/network.ts";
import type { Images } from "../pod/image.ts";
import type { EndpointSlice, Service } from "../services/service.ts";
import type { ObjectCache } from "./object_cache.ts";

/** Times that a node goes by, in milliseconds. */
export interface NodeTimes {
  /** From a change of a Secret or ConfigMap until volumes show it. */
  volumeDelayMs: number;
  /** Delay of the second restart in a row (the first comes at once), and the longest. */
  readonly restartDelay: { readonly baseMs: number; readonly maxMs: number };
  /** Probes are asked at least this often. */
  readonly maxProbePeriodMs: number;
}

/** What the workers of a node share. */
export interface Surroundings {
  readonly client: KubeClient;
  readonly network: Network;
  /** The node's own folder. */
  readonly directory: string;
  readonly images: Images;
  readonly times: NodeTimes;
  readonly objects: ObjectCache;
  services(): Iterable<Service>;
  slices(): Iterable<EndpointSlice>;
}
