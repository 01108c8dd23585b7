import type { NodeInfo, Peer } from "../../xds/mod.ts";

/** Names of a certificate that a refusal shows. */
const SHOWN = 5;

/**
 * Why a client may not be this node: none of the names in its certificate (DNS and URI alternative names, common name) is the
 * node id. Without this check whoever has a certificate of the authority gets the secrets of every node id (W4).
 */
export function nodeRefusal({ id }: Pick<NodeInfo, "id">, { certificate }: Peer): string | undefined {
  if (!certificate) return `Node id ${JSON.stringify(id)} needs a client certificate that names it`;
  if (certificate.names.includes(id)) return undefined;
  const { names } = certificate;
  const shown = names.slice(0, SHOWN).map((name) => JSON.stringify(name)).join(", ");
  const more = names.length > SHOWN ? ` and ${names.length - SHOWN} more` : "";
  return `The client certificate does not name node id ${JSON.stringify(id)}, only ${shown || "nothing"}${more}`;
}
