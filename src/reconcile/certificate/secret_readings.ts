import { formatKey, type ObjectKey } from "../../base/mod.ts";
import type { ApiObject } from "../../api/mod.ts";
import { OPERATOR_ANNOTATIONS } from "../../api/operator/mod.ts";
import { certificateHash, type PairReading } from "../../pki/mod.ts";
import { keyOf, type WatchedObject } from "../engine/object_source.ts";
import type { OwnedStore } from "../engine/owned_store.ts";
import { isOlderVersion } from "../engine/versions.ts";

/** A Secret as it was read, without its private key. */
export interface SecretReading {
  readonly metadata: ApiObject["metadata"];
  readonly reading: PairReading;
  /** `certificateHash` of `tls.crt`. */
  readonly hash: string | undefined;
}

/** Reads the keys of a Secret, given the bytes of each; `pki/crypto/mod.ts` has it. */
export type ReadPair = (
  bytesOf: (key: string) => Uint8Array | undefined,
  options: { keyElsewhere: boolean },
) => PairReading;

/**
 * What Secrets hold of certificates. A watch tells of Secrets with their metadata alone; those that matter are read by name, once per
 * version, and their private keys are forgotten at once.
 */
export class SecretReadings {
  readonly #store: Pick<OwnedStore, "get">;
  readonly #readPair: ReadPair;
  readonly #readings = new Map<string, SecretReading>();

  constructor(options: { store: Pick<OwnedStore, "get">; readPair: ReadPair }) {
    this.#store = options.store;
    this.#readPair = options.readPair;
  }

  /** What a Secret holds, in the version that was watched or a newer one; `undefined` when it is gone meanwhile. */
  async of(watched: WatchedObject): Promise<SecretReading | undefined> {
    const key = keyOf(watched);
    const known = this.#readings.get(formatKey(key));
    const { uid, resourceVersion } = watched.metadata;
    if (known?.metadata.uid === uid && !isOlderVersion(known?.metadata.resourceVersion, resourceVersion)) {
      return known;
    }
    const secret = await this.#store.get(key);
    if (secret) return this.take(secret);
    this.forget(key);
    return undefined;
  }

  /** Takes in what was read or written elsewhere. */
  take(secret: WatchedObject): SecretReading {
    const { metadata } = secret;
    const keyElsewhere = metadata.annotations?.[OPERATOR_ANNOTATIONS.keyIn] !== undefined;
    const reading = this.#readPair((key) => bytesIn(secret, key), { keyElsewhere });
    const read = { metadata, reading, hash: hashOf(secret) };
    this.#readings.set(formatKey(keyOf(secret)), read);
    return read;
  }

  forget(key: ObjectKey): void {
    this.#readings.delete(formatKey(key));
  }
}

/** The bytes under a key of a Secret; `undefined` when there are none. */
export function bytesIn(secret: WatchedObject, key: string): Uint8Array | undefined {
  const { [key]: text } = (secret.data ?? {}) as Readonly<Record<string, string | undefined>>; // a Secret, by its kind
  if (text === undefined || text === "") return undefined;
  try {
    return Uint8Array.fromBase64(text);
  } catch {
    return undefined;
  }
}

function hashOf(secret: WatchedObject): string | undefined {
  const bytes = bytesIn(secret, "tls.crt");
  return bytes && certificateHash(bytes);
}
