import type { CertificateFacts } from "../../pki/mod.ts";
import { type NewPair, pairContent, pemOf } from "../certificate/objects.ts";
import type { StatedObject } from "../engine/object_source.ts";
import type { FoundConfiguration } from "./inputs.ts";

/** By which the Secrets are known that are made here. */
export const WEBHOOK_CERTIFICATE_LABELS = {
  "app.kubernetes.io/managed-by": "chancery",
  "chancery.dev/role": "webhook-certificate",
} as const;

/** The object as it was seen: when it is another one by now, nothing is written. */
export interface Fence {
  readonly uid: string;
  readonly resourceVersion: string;
}

/** A Secret with a certificate and its key, PEM. Without a fence there must be none. */
export function pairSecret(
  { namespace, name }: { namespace: string; name: string },
  { pair, trust, over }: {
    pair: NewPair;
    trust: readonly CertificateFacts[];
    over: Fence | undefined;
  },
): StatedObject {
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name, namespace, labels: WEBHOOK_CERTIFICATE_LABELS, ...over },
    ...pairContent(pair, trust),
  };
}

/** What is stated of a configuration: what its webhooks trust, of those that are to refuse what they cannot ask that as well. */
export function configurationChange(
  { kind, metadata: { name, uid = "", resourceVersion = "" }, entries, shallFail }: FoundConfiguration,
  { roots, require }: { roots: readonly CertificateFacts[]; require: boolean },
): StatedObject {
  const caBundle = new TextEncoder().encode(pemOf(roots)).toBase64();
  return {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind,
    metadata: { name, uid, resourceVersion },
    webhooks: entries.map((entry) => ({
      name: entry.name,
      clientConfig: { caBundle },
      ...(shallFail && (require || !entry.ignoresFailures) ? { failurePolicy: "Fail" } : {}),
    })),
  };
}
