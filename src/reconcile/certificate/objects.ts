import { AUTHORITY_LABEL } from "../../api/mod.ts";
import {
  bundleOf,
  certificateSettings,
  type DiscoveryServiceCertificate,
  MANAGED_LABELS,
  nextSecretOf,
  OPERATOR_ANNOTATIONS,
} from "../../api/operator/mod.ts";
import type { CertificateFacts } from "../../pki/mod.ts";
import type { StatedObject } from "../engine/object_source.ts";
import { controllerReference } from "../engine/owned.ts";

/** The keys of a Secret that clients and servers mount. */
const CERTIFICATE = "tls.crt";
const KEY = "tls.key";
const TRUSTED = "ca.crt";

/** A new certificate with its key, PEM. */
export interface NewPair {
  readonly certificate: string;
  readonly key: string;
}

/**
 * The Secret of a certificate with a new pair. `over` is the Secret that was looked at: when it is another one by now, nothing is
 * written; without it there must be none.
 */
export function issuedSecret(
  object: DiscoveryServiceCertificate,
  { pair, bundle, over, next = false }: {
    pair: NewPair;
    bundle: readonly CertificateFacts[];
    over: { readonly uid: string; readonly resourceVersion: string } | undefined;
    /** Whether it is the CA that is to follow. */
    next?: boolean;
  },
): StatedObject {
  return {
    ...secretOf(object, { over, next }),
    ...pairContent(pair, bundle),
  };
}

/** What a Secret says of a certificate with its key, and of what is to be trusted. */
export function pairContent(
  pair: NewPair,
  bundle: readonly CertificateFacts[],
): { readonly type: string; readonly data: Readonly<Record<string, string>> } {
  return {
    type: "kubernetes.io/tls",
    data: {
      [CERTIFICATE]: encoded(pair.certificate),
      [KEY]: encoded(pair.key),
      [TRUSTED]: encoded(pemOf(bundle)),
    },
  };
}

/** The object with the CAs that are to be trusted, and no key (S3). */
export function bundleObject(object: DiscoveryServiceCertificate, bundle: readonly CertificateFacts[]): StatedObject {
  const { name, namespace = "default", labels } = object.metadata;
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: {
      name: bundleOf(name),
      namespace,
      labels: { ...labels, ...MANAGED_LABELS }, // by which it is watched
      annotations: { [OPERATOR_ANNOTATIONS.certificate]: name },
      ownerReferences: [controllerReference(object)],
    },
    data: { [TRUSTED]: pemOf(bundle) },
  };
}

/** The value of `ca.crt`: in an order that does not depend on who comes when, so that nothing is written twice. */
export function pemOf(bundle: readonly CertificateFacts[]): string {
  const byFingerprint = new Map(bundle.map((one) => [one.fingerprint, one.pem]));
  return [...byFingerprint].sort(([a], [b]) => a < b ? -1 : 1).map(([, pem]) => pem).join("");
}

function secretOf(
  object: DiscoveryServiceCertificate,
  { over, next }: { over: { readonly uid: string; readonly resourceVersion: string } | undefined; next: boolean },
): StatedObject {
  const { name, namespace = "default", labels } = object.metadata;
  const { secretName, isCA } = certificateSettings(object);
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: {
      name: next ? nextSecretOf(secretName) : secretName,
      namespace,
      ...((labels || isCA) && { labels: { ...labels, ...(isCA && AUTHORITY_LABEL) } }),
      annotations: { [OPERATOR_ANNOTATIONS.certificate]: name },
      ownerReferences: [controllerReference(object)],
      ...(over && { uid: over.uid, resourceVersion: over.resourceVersion }),
    },
  };
}

function encoded(text: string): string {
  return new TextEncoder().encode(text).toBase64();
}
