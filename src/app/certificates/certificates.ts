import {
  bundleOf,
  certificateSettings,
  DISCOVERY_SERVICE_CERTIFICATE,
  type DiscoveryServiceCertificate,
  OPERATOR_ANNOTATIONS,
} from "../../api/operator/mod.ts";
import { type Secret, secretBytes } from "../../api/mod.ts";
import { ChanceryError, formatKey, type ObjectKey, systemClock } from "../../base/mod.ts";
import { readCertificates, readPair } from "../../pki/crypto/mod.ts";
import { ApiError, type KubeConnection, resourceOf } from "../../store/kubernetes/mod.ts";
import type { ListQuery, StoredObject } from "../../store/mod.ts";
import { ClusterAccess, type ClusterAccessOptions, connectAsUser } from "../cluster_access/mod.ts";
import type { BundleDocument, CertificateDocument, CertificatesDocument, HeldDocument } from "./document.ts";
import { signedPath } from "./signed_path.ts";
import { webhookCertificates } from "./webhook_certificates.ts";

/** Which certificates are meant. */
export interface CertificatesQuery {
  /** All of them when absent. */
  readonly namespace?: string | undefined;
  readonly labels?: ListQuery["labels"] | undefined;
}

const KIND = DISCOVERY_SERVICE_CERTIFICATE.kind;
/** Whoever asks for something by an annotation. */
const FIELD_MANAGER = "chancery-certs";
/** Secrets that are read at a time. */
const CONCURRENCY = 8;

/** A cluster as whoever the kubeconfig names may see it. Asks nothing yet. */
export async function openCertificates(options: ClusterAccessOptions): Promise<ClusterCertificates> {
  return new ClusterCertificates(await connectAsUser(options));
}

/** See {@linkcode openCertificates}. Needs to list the certificates; who may not read a Secret sees what the status says. */
export class ClusterCertificates extends ClusterAccess {
  constructor(connection: KubeConnection) {
    super(connection, [resourceOf(DISCOVERY_SERVICE_CERTIFICATE)]);
  }

  async list({ namespace, labels }: CertificatesQuery): Promise<CertificatesDocument> {
    const objects = await this.#objects({
      ...(namespace !== undefined && { namespace }),
      ...(labels !== undefined && { labels }),
    });
    const certificates: CertificateDocument[] = [];
    for (let at = 0; at < objects.length; at += CONCURRENCY) {
      const some = objects.slice(at, at + CONCURRENCY);
      certificates.push(
        ...await Promise.all(some.map(async (object) => {
          const [held, bundle] = await Promise.all([this.#held(object), this.#bundle(object)]);
          return { object, held, ...(bundle && { bundle }) };
        })),
      );
    }
    // Labels are asked for of DiscoveryServiceCertificates.
    const webhooks = labels === undefined ? await webhookCertificates(this.store, namespace) : [];
    return { now: new Date(systemClock.now()).toISOString(), certificates, webhooks };
  }

  /** Asks for another CA instead of the one with this fingerprint. Throws `conflict` when the object is another one by now. */
  async rotate(key: ObjectKey, { uid, fingerprint }: { uid: string; fingerprint: string }): Promise<void> {
    await this.#annotate(key, { uid, annotations: { [OPERATOR_ANNOTATIONS.rotate]: fingerprint } });
  }

  /** Asks to trust CAs with these fingerprints no longer. Throws as {@linkcode rotate}. */
  async distrust(
    key: ObjectKey,
    { uid, fingerprints }: { uid: string; fingerprints: readonly string[] },
  ): Promise<void> {
    await this.#annotate(key, { uid, annotations: { [OPERATOR_ANNOTATIONS.distrust]: fingerprints.join(",") } });
  }

  async #objects(query: ListQuery): Promise<readonly DiscoveryServiceCertificate[]> {
    try {
      const { items } = await this.store.list(KIND, query);
      return items as readonly (StoredObject & DiscoveryServiceCertificate)[]; // by their kind
    } catch (thrown) {
      if (!(thrown instanceof ApiError) || thrown.status !== 404) throw thrown;
      throw new ChanceryError(
        "not-found",
        `Cannot list ${KIND}s: the API server ${this.server} has no such kind, so Chancery is not installed there`,
        { cause: thrown },
      );
    }
  }

  async #held(object: DiscoveryServiceCertificate): Promise<HeldDocument> {
    const { secretName: name } = certificateSettings(object);
    const key = { kind: "Secret", namespace: object.metadata.namespace ?? "default", name };
    if (name === "") return { kind: "missing" };
    try {
      const secret = await this.store.get(key);
      if (!secret) return { kind: "missing" };
      // A Secret, by its kind. Its key is read to be compared, and forgotten.
      const { [OPERATOR_ANNOTATIONS.keyIn]: keyIn } = secret.metadata.annotations ?? {};
      const keyElsewhere = keyIn !== undefined;
      const reading = readPair((part) => secretBytes(secret as unknown as Secret, part), { keyElsewhere });
      return { kind: "read", reading, path: signedPath(reading), ...(keyElsewhere && { keyIn }) };
    } catch (thrown) {
      if (!(thrown instanceof ChanceryError && thrown.code === "forbidden")) throw thrown;
      return {
        kind: "hidden",
        problem: `Cannot read ${formatKey(key)}: it is not allowed; the status is shown instead`,
      };
    }
  }

  /** Who may not read it is told nothing of it. */
  async #bundle(object: DiscoveryServiceCertificate): Promise<BundleDocument | undefined> {
    const { isCA, issuer } = certificateSettings(object);
    if (!isCA || issuer) return undefined;
    const { namespace = "default" } = object.metadata;
    const name = bundleOf(object.metadata.name);
    try {
      const found = await this.store.get({ kind: "ConfigMap", namespace, name });
      const text = (found?.data as Readonly<Record<string, string>> | undefined)?.["ca.crt"]; // a ConfigMap
      return { name, certificates: text === undefined ? undefined : readCertificates(new TextEncoder().encode(text)) };
    } catch (thrown) {
      if (thrown instanceof ChanceryError && thrown.code === "forbidden") return undefined;
      throw thrown;
    }
  }

  async #annotate(
    key: ObjectKey,
    { uid, annotations }: { uid: string; annotations: Readonly<Record<string, string>> },
  ): Promise<void> {
    const object = await this.store.get(key);
    if (!object) throw new ChanceryError("not-found", `Cannot find ${formatKey(key)}: there is no such object`);
    if (object.metadata.uid !== uid) {
      throw new ChanceryError("conflict", `Cannot change ${formatKey(key)}: it was removed and made again`);
    }
    // What was asked for earlier stays: who applies without a field takes it away.
    const earlier = [OPERATOR_ANNOTATIONS.rotate, OPERATOR_ANNOTATIONS.distrust].flatMap((name) => {
      const value = object.metadata.annotations?.[name];
      return value === undefined ? [] : [[name, value]];
    });
    const { apiVersion, kind, metadata: { name, namespace, resourceVersion } } = object;
    await this.store.apply({
      ...{ apiVersion, kind },
      metadata: { name, namespace, resourceVersion, annotations: { ...Object.fromEntries(earlier), ...annotations } },
    }, { fieldManager: FIELD_MANAGER, force: true });
  }
}
