import { namespaceUri, nodeIdUri } from "../../api/operator/mod.ts";
import type { NodeInfo, Peer } from "../../xds/mod.ts";

/** What a client's certificate has to grant: nothing, any node id of the namespace, or the very node id. */
export type ClientAuthorization = "Off" | "Namespace" | "NodeID";

/** Metadata by which the agents in pods tell where they run. */
const POD_NAMESPACE = "pod_namespace";
/** URIs of a certificate, and characters of what a client says, that a refusal shows. */
const SHOWN_URIS = 5;
const SHOWN_CHARACTERS = 300;

/** By what a client may be a node, or why it may not. */
export type ClientRight = { readonly by: "node-id" | "namespace" } | { readonly refusal: string };

/**
 * Whether a client may be a node of `namespace`, by the URIs in its certificate (I17, W4). What grants one node id is good for it where
 * the namespace is asked for, too, so that certificates may become narrower before the rule does. What the client says of itself
 * never grants anything; that it runs elsewhere than its certificate is good for is refused.
 */
export function clientRight(
  { id, metadata }: Pick<NodeInfo, "id" | "metadata">,
  { certificate }: Peer,
  { namespace, wanted }: { readonly namespace: string; readonly wanted: Exclude<ClientAuthorization, "Off"> },
): ClientRight {
  const shownId = shown(id);
  if (!certificate) return { refusal: `Node id ${shownId} needs a client certificate that grants it` };
  if (!id.isWellFormed()) return { refusal: `Node id ${shownId} is no text that a certificate could grant` };
  const { uris } = certificate;
  const node = nodeIdUri(namespace, id);
  if (uris.includes(node)) return { by: "node-id" };
  const all = namespaceUri(namespace);
  const elsewhere = metadata.get(POD_NAMESPACE);
  if (wanted === "NodeID" || !uris.includes(all)) {
    const needed = wanted === "NodeID" ? shown(node) : `${shown(all)} or ${shown(node)}`;
    return { refusal: `The client certificate does not grant node id ${shownId}: it needs ${needed}, ${listed(uris)}` };
  }
  if (elsewhere !== undefined && elsewhere !== namespace) {
    return {
      refusal:
        `The client certificate is good for namespace ${
          shown(namespace)
        }, and node id ${shownId} says that it runs in ` +
        shown(elsewhere),
    };
  }
  return { by: "namespace" };
}

function listed(uris: readonly string[]): string {
  if (uris.length === 0) return "and has no URI";
  const more = uris.length > SHOWN_URIS ? ` and ${uris.length - SHOWN_URIS} more` : "";
  return `and has ${uris.slice(0, SHOWN_URIS).map(shown).join(", ")}${more}`;
}

function shown(text: string): string {
  return JSON.stringify(text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text);
}
