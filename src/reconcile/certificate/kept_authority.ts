import type { DiscoveryServiceCertificate } from "../../api/operator/mod.ts";
import { nextSecretOf, OPERATOR_ANNOTATIONS } from "../../api/operator/mod.ts";
import { ChanceryError, formatKey, type ObjectKey } from "../../base/mod.ts";
import { secretKeyOf } from "./index.ts";
import { isKeySecret, type KeyPlace, ownerOfKey } from "./key_place.ts";
import { isSecretOf } from "./ownership.ts";
import type { SecretReading } from "./secret_readings.ts";

/** The Secrets of a certificate authority, each in its role. */
export interface KeptAuthority {
  /** Where its key is to be kept; nothing where that is beside it. */
  readonly place: KeyPlace | undefined;
  /** The Secret with the CA and its key, and its name whether it is there or not. */
  readonly secret: SecretReading | undefined;
  readonly key: ObjectKey;
  readonly next: SecretReading | undefined;
  /** Where the key is kept elsewhere: what lies beside the CA. */
  readonly shown: { readonly secret: SecretReading | undefined } | undefined;
  /** Keys that nobody needs: of an earlier DiscoveryService of the name, and of a CA that will not follow any more. */
  readonly leftover: readonly SecretReading[];
}

/**
 * Finds the Secrets of a certificate authority. A key that lies beside it, as an older program keeps it, or a user who brings a CA along,
 * stays there until the CA is changed for another one: so long there is a way back to that program, which needs it there.
 */
export async function keptAuthority(
  object: DiscoveryServiceCertificate,
  { place, read }: {
    place: KeyPlace | undefined;
    read: (key: ObjectKey) => Promise<SecretReading | undefined>;
  },
): Promise<KeptAuthority> {
  const own = secretKeyOf(object);
  const ownNext = { ...own, name: nextSecretOf(own.name) };
  const [beside, besideNext] = await Promise.all([read(own), read(ownNext)]);
  if (!place) {
    return { place, secret: beside, key: own, next: besideNext, shown: undefined, leftover: [] };
  }
  const apart = await Promise.all([read(place.current), read(place.next)]);
  const others = apart.filter((one) => one !== undefined).filter((one) => isLeftover(one, place));
  const [current, next] = apart.map((one) => one && others.includes(one) ? undefined : one);
  // Of two that were to follow the one beside the CA was made earlier.
  const overtaken = next && besideNext && isSecretOf(besideNext.metadata, object) ? [besideNext] : [];
  const leftover = [...others, ...overtaken];
  if (holdsKey(object, { beside, current })) {
    return { place, secret: beside, key: own, next: next ?? besideNext, shown: undefined, leftover };
  }
  return {
    ...{ place, leftover },
    secret: current,
    key: place.current,
    next: next ?? besideNext,
    shown: { secret: beside },
  };
}

/** Whether the Secret beside a CA is the one that counts. */
function holdsKey(
  object: DiscoveryServiceCertificate,
  { beside, current }: { beside: SecretReading | undefined; current: SecretReading | undefined },
): boolean {
  if (!beside) return false;
  const pair = beside.reading.kind === "pair";
  if (!isSecretOf(beside.metadata, object)) return pair || !current; // somebody's own: a CA, or what is to become one
  if (current) return false;
  // What only shows it is as good as none; anything else that cannot be read somebody has to look at (C6).
  return pair || beside.metadata.annotations?.[OPERATOR_ANNOTATIONS.keyIn] === undefined;
}

function isLeftover({ metadata }: SecretReading, { owner }: KeyPlace): boolean {
  if (isKeySecret({ metadata })) return ownerOfKey({ metadata }).uid !== owner.uid;
  const { namespace = "", name } = metadata;
  throw new ChanceryError(
    "invalid-input",
    `Cannot keep the key of a certificate authority in ${formatKey({ kind: "Secret", namespace, name })}: ` +
      "it belongs to somebody else",
    { retryable: true }, // once it is gone
  );
}
