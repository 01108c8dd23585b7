import { type DiscoveryServiceCertificate, OPERATOR_ANNOTATIONS } from "../../api/operator/mod.ts";
import type { CertificateFacts } from "../../pki/mod.ts";
import type { StatedObject } from "../engine/object_source.ts";
import { keyInText, keyMetadata, type KeyPlace } from "./key_place.ts";
import { issuedSecret, type NewPair } from "./objects.ts";

/** The Secret of which something is written, as it was seen. */
type Over = { readonly uid: string; readonly resourceVersion: string } | undefined;

/** The Secret with a CA and its key. */
export function keySecret(
  object: DiscoveryServiceCertificate,
  { place, pair, bundle, over, next = false }: {
    place: KeyPlace;
    pair: NewPair;
    bundle: readonly CertificateFacts[];
    over: Over;
    /** Whether it is the CA that is to follow. */
    next?: boolean;
  },
): StatedObject {
  const { metadata: _, ...content } = issuedSecret(object, { pair, bundle, over });
  const { name, namespace } = next ? place.next : place.current;
  return { ...content, metadata: { name, namespace, ...keyMetadata(object, place), ...over } };
}

/**
 * The Secret in the namespace of a CA whose key is kept elsewhere: whoever looks there finds the CA and what is to be trusted, as ever.
 * The type asks for a key, which is empty.
 */
export function shownSecret(
  object: DiscoveryServiceCertificate,
  { place, certificate, bundle, over }: {
    place: KeyPlace;
    certificate: CertificateFacts;
    bundle: readonly CertificateFacts[];
    over: Over;
  },
): StatedObject {
  const secret = issuedSecret(object, { pair: { certificate: certificate.pem, key: "" }, bundle, over });
  const { annotations, labels: _, ...metadata } = secret.metadata;
  const { labels } = object.metadata; // without what tells of a key
  return {
    ...secret,
    metadata: {
      ...metadata,
      ...(labels && { labels }),
      annotations: { ...annotations, [OPERATOR_ANNOTATIONS.keyIn]: keyInText(place.current) },
    },
  };
}
