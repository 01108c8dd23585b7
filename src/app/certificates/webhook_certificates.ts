import { type Secret, secretBytes } from "../../api/mod.ts";
import { ChanceryError } from "../../base/mod.ts";
import { readPair } from "../../pki/crypto/mod.ts";
import { WEBHOOK_CERTIFICATE_LABELS } from "../../reconcile/webhook_certificate/mod.ts";
import type { Store, StoredObject } from "../../store/mod.ts";
import type { HeldDocument, WebhookCertificateDocument } from "./document.ts";
import { signedPath } from "./signed_path.ts";

/** What the Secret of one that is to follow is called more than that of the one that is shown. */
const NEXT = "-next";

/** The certificates of webhooks, by their Secrets; none for who may not list Secrets. */
export async function webhookCertificates(
  store: Pick<Store, "list">,
  namespace: string | undefined,
): Promise<readonly WebhookCertificateDocument[]> {
  const secrets = await ours(store, namespace);
  const following = new Map(secrets.map((secret) => [idOf(secret), secret]));
  return secrets.filter((secret) => !secret.metadata.name.endsWith(NEXT)).map((secret) => {
    const { namespace = "default", name, uid, annotations } = secret.metadata;
    const next = following.get(`${idOf(secret)}${NEXT}`);
    return {
      ...{ namespace, name, uid, held: heldBy(secret) },
      ...(annotations && { annotations }),
      ...(next && { nextSince: next.metadata.creationTimestamp }),
    };
  });
}

async function ours(store: Pick<Store, "list">, namespace: string | undefined): Promise<readonly StoredObject[]> {
  try {
    const labels = { matchLabels: WEBHOOK_CERTIFICATE_LABELS };
    return (await store.list("Secret", { labels, ...(namespace !== undefined && { namespace }) })).items;
  } catch (thrown) {
    if (thrown instanceof ChanceryError && thrown.code === "forbidden") return [];
    throw thrown;
  }
}

function heldBy(secret: StoredObject): HeldDocument {
  const reading = readPair((part) => secretBytes(secret as unknown as Secret, part)); // by its kind
  return { kind: "read", reading, path: signedPath(reading) };
}

function idOf({ metadata: { namespace, name } }: StoredObject): string {
  return `${namespace}/${name}`;
}
