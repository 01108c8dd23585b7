import type { DiscoveryService } from "../../api/operator/mod.ts";
import type { AlternativeNames } from "../../pki/mod.ts";
import type { WatchedObject } from "../engine/object_source.ts";

/** What was found out about one DiscoveryService. */
export interface DiscoveryServiceInput {
  readonly now: number;
  readonly object: DiscoveryService;
  /** The other ones of its namespace. */
  readonly siblings: readonly DiscoveryService[];
  /** The image of this program, where the object names none. */
  readonly image: string;
  /** All that is there under the names of what is wanted, and all that carries its labels, whoever made it. */
  readonly owned: readonly WatchedObject[];
  /** The names in the server certificate that is in use; `undefined` while there is none that can be used. */
  readonly serverNames: AlternativeNames | undefined;
  /** Whether the bundle holds anything. */
  readonly bundle: boolean;
}
