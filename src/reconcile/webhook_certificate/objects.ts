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

/** A value of an object, by its JSON pointer. */
export interface PatchedValue {
  readonly path: string;
  readonly value: unknown;
}

/** What is set in a configuration: whom its webhooks trust, and of those that are to refuse what they cannot ask that as well. */
export function configurationValues(
  { entries, shallFail }: FoundConfiguration,
  { roots, require }: { roots: readonly CertificateFacts[]; require: boolean },
): readonly PatchedValue[] {
  const value = new TextEncoder().encode(pemOf(roots)).toBase64();
  return entries.flatMap(({ index, ignoresFailures }) => [
    { path: `/webhooks/${index}/clientConfig/caBundle`, value },
    ...(require && shallFail && ignoresFailures ? [{ path: `/webhooks/${index}/failurePolicy`, value: "Fail" }] : []),
  ]);
}
