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
  /** Node ids of the EnvoyConfigs of its namespace; none where they do not matter. */
  readonly nodeIds: readonly string[];
  /** The client certificates of its namespace that its CA signs; none where they do not matter. */
  readonly clients: readonly ClientCertificate[];
}

/** A client certificate, as far as the rights of clients go by it. */
export interface ClientCertificate {
  /** Of its DiscoveryServiceCertificate. */
  readonly name: string;
  /** What its Secret says; `undefined` while there is none that can be used. */
  readonly uris: readonly string[] | undefined;
}
