import type { DiscoveryServiceCertificateSpec } from "../../api/operator/mod.ts";

/** What is asked for of a client certificate that is kept in a Secret of its own name. */
export function clientCertificateSpec(
  name: string,
  { uris, validFor, authority }: {
    uris: readonly string[] | undefined;
    /** In seconds. */
    validFor: number;
    /** The Secret of the CA that is to sign it. */
    authority: { readonly name: string; readonly namespace: string };
  },
): DiscoveryServiceCertificateSpec {
  return {
    commonName: name,
    isCA: false,
    server: false,
    hosts: [name],
    ...(uris && { uris }),
    validFor,
    signer: { caSigned: { caSecretRef: authority } },
    secretRef: { name },
  };
}
