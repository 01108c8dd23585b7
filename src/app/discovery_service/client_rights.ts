import { ChanceryError } from "../../base/mod.ts";
import type { Logger, Metrics } from "../../telemetry/mod.ts";
import type { HubOptions } from "../../xds/mod.ts";
import { type ClientAuthorization, clientRight } from "./client_right.ts";

/** Options of {@linkcode clientRights}. */
export interface ClientRightsOptions {
  readonly wanted: ClientAuthorization;
  /** Whether clients without the right are served all the same. */
  readonly warnOnly: boolean;
  /** Namespaces that are served; none for all of them. */
  readonly namespaces: readonly string[];
  readonly log: Logger;
  readonly metrics: Metrics;
}

/**
 * Asks each stream for its right to its node id, tells of it, and refuses where that was asked for. Also while nothing is asked for
 * the metric tells who would be refused, so that people can see before they ask.
 * @throws {ChanceryError} `invalid-input` when the namespace that a certificate has to be good for is not a single one
 */
export function clientRights(
  { wanted, warnOnly, namespaces, log, metrics }: ClientRightsOptions,
): NonNullable<HubOptions["authorize"]> {
  const [namespace] = namespaces;
  if (namespace === undefined || namespaces.length > 1) {
    if (wanted === "Off") return () => undefined;
    throw new ChanceryError(
      "invalid-input",
      "Cannot look at the rights of clients (--client-authorization): a certificate is good for one namespace, and " +
        `${namespaces.length === 0 ? "all are" : `${namespaces.length} are`} served (--watch-namespace)`,
    );
  }
  const off = wanted === "Off";
  return (node, { id, peer }) => {
    const right = clientRight(node, peer, { namespace, wanted: off ? "Namespace" : wanted });
    const fields = { stream: id, node: node.id, peer: peer.address, certificate: peer.certificate?.subject };
    const granted = "by" in right;
    const refused = !granted && !off && !warnOnly;
    metrics.count("chancery_client_rights_total", {
      right: granted ? right.by : "none",
      result: refused ? "refused" : "served",
    });
    if (granted) log[off ? "debug" : "info"]("The client has the right to its node id", { ...fields, by: right.by });
    else if (off) log.debug("The client has no right to its node id, and none is asked for", fields);
    else if (warnOnly) log.warn("The client has no right to its node id", { ...fields, reason: right.refusal });
    return refused ? right.refusal : undefined;
  };
}
