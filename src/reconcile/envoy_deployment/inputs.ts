import type { DiscoveryService, EnvoyDeployment } from "../../api/operator/mod.ts";
import type { WatchedObject } from "../engine/object_source.ts";

/** What was found out about one EnvoyDeployment. */
export interface EnvoyDeploymentInput {
  readonly now: number;
  readonly object: EnvoyDeployment;
  /** The DiscoveryService that it names, and the node id of the EnvoyConfig that it names. */
  readonly discoveryService: DiscoveryService | undefined;
  readonly nodeId: string | undefined;
  /** The image of this program, where the object names none. */
  readonly image: string;
  /** The image of Envoy, where the object names none; that of this version when undefined. */
  readonly envoyImage: string | undefined;
  /** All that is there under the names of what is wanted, and all that carries its labels, whoever made it. */
  readonly owned: readonly WatchedObject[];
  readonly namespace: {
    /** Whether it admits nothing but the strictest pods (S6). */
    readonly restricted: boolean;
    /** Whether the platform gives its pods a user. */
    readonly userIsSet: boolean;
  };
}
