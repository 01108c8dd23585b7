import { ChanceryError, formatKey, type ObjectKey } from "../../base/mod.ts";
import { type CertificateFacts, rememberSigning, validityOf, type WantedCertificate } from "../../pki/mod.ts";
import { issueCertificate, type Issuer, readCertificates } from "../../pki/crypto/mod.ts";
import type { LiveCache } from "../engine/live_cache.ts";
import { keyOf, type StatedObject, type WatchedObject } from "../engine/object_source.ts";
import { isMadeFor } from "../engine/owned.ts";
import type { OwnedStore } from "../engine/owned_store.ts";
import { checkLeading, FIELD_MANAGER } from "../engine/writing.ts";
import type { StoredCertificate } from "./gather.ts";
import { keySecret, shownSecret } from "./key_objects.ts";
import type { KeyPlace } from "./key_place.ts";
import { bundleObject, issuedSecret, type NewPair } from "./objects.ts";
import { readRotation, writeRotation } from "./rotation_status.ts";
import { bytesIn, type SecretReading, type SecretReadings } from "./secret_readings.ts";

/** Options of {@linkcode SecretWriter}. */
export interface SecretWriterOptions {
  readonly store: OwnedStore;
  readonly cache: LiveCache;
  readonly readings: SecretReadings;
  /** Whether this replica may write at this moment; asked before each write. */
  readonly leading: () => boolean;
  readonly now: () => number;
  readonly randomBytes: (count: number) => Uint8Array;
}

/** The metadata of an object as it was seen. */
type Seen = SecretReading["metadata"];

/**
 * Writes what plans for certificates ask for, each write over what the plan saw and nothing else. Private keys are read when they
 * are needed and kept nowhere.
 */
export class SecretWriter {
  readonly #options: SecretWriterOptions;

  constructor(options: SecretWriterOptions) {
    this.#options = options;
  }

  /** Has a CA remember, before it signs, how long that lasts: whoever dies in between has not forgotten it. */
  async remember(
    authority: StoredCertificate,
    { wanted, signer }: { wanted: WantedCertificate; signer: CertificateFacts },
  ): Promise<void> {
    const { store, cache, now } = this.#options;
    const rotation = readRotation(authority.status?.rotation);
    if (!rotation || rotation.current !== signer.fingerprint) {
      throw new ChanceryError("conflict", "Cannot sign: the certificate authority is being changed");
    }
    const { notAfter } = validityOf(wanted, { now: now(), issuer: signer });
    const after = rememberSigning(rotation, { notAfter, validFor: wanted.validFor, root: signer });
    if (!after) return;
    checkLeading(this.#options.leading);
    const status = { ...authority.status, rotation: writeRotation(after) };
    cache.wrote(await store.updateStatus(keyOf(authority), status, versionOf(authority.metadata)));
  }

  /** Makes a new key and certificate. */
  async issue(
    object: StoredCertificate,
    { wanted, signer, bundle, over, place, next = false }: {
      wanted: WantedCertificate;
      /** What it is to be signed by; its own key when absent. */
      signer: { readonly certificate: CertificateFacts; readonly secret: ObjectKey } | undefined;
      /** What `ca.crt` is to hold; the new certificate when absent. */
      bundle: readonly CertificateFacts[] | undefined;
      over: Seen | undefined;
      /** Where its key is to be kept, of a CA; beside it when absent. */
      place?: KeyPlace | undefined;
      /** Whether it is the CA that is to follow. */
      next?: boolean;
    },
  ): Promise<void> {
    const { now, randomBytes } = this.#options;
    const issuer = signer && await this.#issuer(signer);
    const { facts, ...pair } = await issueCertificate(wanted, {
      ...{ now: now(), random: randomBytes },
      ...(issuer && { issuer }),
    });
    const at = place && (next ? place.next : place.current);
    const content = { pair, bundle: bundle ?? [facts], over: fenceAt(at, over), next };
    const stated = place ? keySecret(object, { ...content, place }) : issuedSecret(object, content);
    // Whoever leads anew may not have been told yet of what the one before has made.
    if (wanted.isCA && !content.over && await this.#options.store.get(keyOf(stated))) {
      throw new ChanceryError("conflict", `Cannot make ${formatKey(keyOf(stated))}: it is there already`);
    }
    await this.#write(stated);
  }

  /** Writes what a Secret holds once more, with another `ca.crt` and with its owner. */
  async rewrite(
    object: StoredCertificate,
    { bundle, over }: { bundle: readonly CertificateFacts[]; over: Seen },
  ): Promise<void> {
    const pair = await this.#pairIn(over);
    await this.#write(issuedSecret(object, { pair, bundle, over: fence(over) }));
  }

  /** Makes the CA that is to follow the present one. `over` is the Secret of the present one. */
  async promote(
    object: StoredCertificate,
    { next, bundle, over, place }: {
      next: Seen;
      bundle: readonly CertificateFacts[];
      over: Seen | undefined;
      place: KeyPlace | undefined;
    },
  ): Promise<void> {
    const pair = await this.#pairIn(next);
    const content = { pair, bundle, over: fenceAt(place?.current, over) };
    await this.#write(place ? keySecret(object, { ...content, place }) : issuedSecret(object, content));
  }

  /** Writes the Secret beside a CA whose key is kept elsewhere. */
  async show(
    object: StoredCertificate,
    { place, certificate, bundle, over }: {
      place: KeyPlace;
      certificate: CertificateFacts;
      bundle: readonly CertificateFacts[];
      over: Seen | undefined;
    },
  ): Promise<void> {
    await this.#write(shownSecret(object, { place, certificate, bundle, over: over && fence(over) }));
  }

  /** Removes the Secret of a CA that was to follow. */
  async remove(next: Seen): Promise<void> {
    checkLeading(this.#options.leading);
    await this.#options.store.remove(secretKey(next), next.uid === undefined ? {} : { uid: next.uid });
  }

  /** Writes the bundle object. `live` is the one that was seen; somebody else's is left alone. */
  async publish(
    object: StoredCertificate,
    { bundle, live }: { bundle: readonly CertificateFacts[]; live: WatchedObject | undefined },
  ): Promise<void> {
    const { store, cache } = this.#options;
    const wanted = bundleObject(object, bundle);
    const there = live ?? await store.get(keyOf(wanted));
    if (there && !isMadeFor(there, { owner: object, labels: wanted.metadata.labels ?? {} })) {
      throw new ChanceryError(
        "invalid-input",
        `Cannot write ${formatKey(keyOf(wanted))}: it belongs to somebody else`,
        { retryable: true }, // once it is gone
      );
    }
    checkLeading(this.#options.leading);
    const metadata = { ...wanted.metadata, ...(there && versionOf(there.metadata)) };
    cache.wrote(
      await store.apply({ ...wanted, metadata }, { fieldManager: FIELD_MANAGER, force: there !== undefined }),
    );
  }

  async #write(stated: StatedObject): Promise<void> {
    const { store, cache, readings } = this.#options;
    checkLeading(this.#options.leading);
    // What was not seen is not there, or somebody else's, and then it is not overwritten.
    const force = stated.metadata.uid !== undefined;
    const written = await store.apply(stated, { fieldManager: FIELD_MANAGER, force });
    readings.take(written);
    const { apiVersion, kind, metadata } = written;
    cache.wrote({ apiVersion, kind, metadata }); // as the watch has it
  }

  async #issuer({ certificate, secret }: { certificate: CertificateFacts; secret: ObjectKey }): Promise<Issuer> {
    const found = await this.#options.store.get(secret);
    const [chain, key] = [found && bytesIn(found, "tls.crt"), found && bytesIn(found, "tls.key")];
    if (!chain || !key || readCertificates(chain)?.[0]?.fingerprint !== certificate.fingerprint) {
      throw new ChanceryError("conflict", `Cannot sign with ${formatKey(secret)}: it was changed meanwhile`);
    }
    return { certificate: chain, key };
  }

  async #pairIn(seen: Seen): Promise<NewPair> {
    const key = secretKey(seen);
    const secret = await this.#options.store.get(key);
    const [certificate, privateKey] = [secret && bytesIn(secret, "tls.crt"), secret && bytesIn(secret, "tls.key")];
    if (!certificate || !privateKey || secret?.metadata.resourceVersion !== seen.resourceVersion) {
      throw new ChanceryError("conflict", `Cannot write ${formatKey(key)}: it was changed meanwhile`);
    }
    const text = new TextDecoder();
    return { certificate: text.decode(certificate), key: text.decode(privateKey) };
  }
}

function secretKey({ namespace = "default", name }: Seen): ObjectKey {
  return { kind: "Secret", namespace, name };
}

/** Nothing where what was seen is not what will be written: a key that lies beside its CA is not moved, but followed by one elsewhere. */
function fenceAt(at: ObjectKey | undefined, seen: Seen | undefined): ReturnType<typeof fence> | undefined {
  if (!seen || (at && formatKey(at) !== formatKey(secretKey(seen)))) return undefined;
  return fence(seen);
}

function fence({ uid = "", resourceVersion = "" }: Seen): { uid: string; resourceVersion: string } {
  return { uid, resourceVersion };
}

function versionOf({ resourceVersion }: Seen): { resourceVersion?: string } {
  return resourceVersion === undefined ? {} : { resourceVersion };
}
