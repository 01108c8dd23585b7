import { FAILURE_POLICY_ANNOTATION, type Secret, secretBytes } from "../../api/mod.ts";
import type { ObjectKey } from "../../base/mod.ts";
import type { CertificateFacts, PairReading } from "../../pki/mod.ts";
import { readCertificates, readPair, signerOf } from "../../pki/crypto/mod.ts";
import type { WatchedObject } from "../engine/object_source.ts";
import type { OwnedStore } from "../engine/owned_store.ts";
import type { FoundConfiguration, FoundEntry, FoundPair } from "./inputs.ts";
import { WEBHOOK_CERTIFICATE_LABELS } from "./objects.ts";

/** Whose certificate it is, and where all that concerns it is to be found. */
export interface WebhookPlace {
  /** The Service that the API server calls. */
  readonly service: { readonly namespace: string; readonly name: string };
  /** Name of the Secret that the webhook's pods mount. */
  readonly secret: string;
  /** Names of the MutatingWebhookConfiguration and the ValidatingWebhookConfiguration. */
  readonly configurations: { readonly mutating: string; readonly validating: string };
}

/** What was found of it in the cluster. */
export interface FoundState {
  readonly hosts: readonly string[];
  readonly secret: FoundPair | undefined;
  readonly next: FoundPair | undefined;
  readonly configurations: readonly FoundConfiguration[];
}

/** Who else writes `caBundle`: what each asks for on the object. */
const OTHERS: readonly { readonly name: RegExp; readonly who: string }[] = [
  { name: /^cert-manager\.io\/inject-/, who: "cert-manager.io" },
  { name: /^olm\.(owner|managed)$/, who: "the Operator Lifecycle Manager" },
  { name: /^service\.beta\.openshift\.io\/inject-cabundle$/, who: "OpenShift" },
];

/** The Secret of the certificate that is to follow. */
export function nextKey({ service: { namespace }, secret }: WebhookPlace): ObjectKey {
  return { kind: "Secret", namespace, name: `${secret}-next` };
}

/** The Secret of the certificate that is shown. */
export function secretKey({ service: { namespace }, secret }: WebhookPlace): ObjectKey {
  return { kind: "Secret", namespace, name: secret };
}

/** Everything that is looked at. */
export function placeKeys(place: WebhookPlace): readonly [ObjectKey, ObjectKey, ObjectKey, ObjectKey] {
  const { mutating, validating } = place.configurations;
  return [
    { kind: "MutatingWebhookConfiguration", namespace: "", name: mutating },
    { kind: "ValidatingWebhookConfiguration", namespace: "", name: validating },
    secretKey(place),
    nextKey(place),
  ];
}

/** Looks at all that is in the cluster. */
export async function gatherState(place: WebhookPlace, store: Pick<OwnedStore, "get">): Promise<FoundState> {
  const [mutatingObject, validatingObject, secret, next] = await Promise.all(
    placeKeys(place).map((key) => store.get(key)),
  );
  const configurations = [mutatingObject, validatingObject].filter((object) => object !== undefined)
    .map((object) => configurationOf(object, place))
    .filter(({ entries }) => entries.length > 0);
  const readings = [secret, next].map((object) => object && { object, reading: readingOf(object) });
  const roots = [
    ...readings.flatMap((one) => one?.reading.kind === "pair" ? one.reading.trusted ?? [] : []),
    ...configurations.flatMap(({ entries }) => entries.flatMap(({ trusted }) => trusted)),
  ];
  const [present, following] = readings.map((one) => one && pairOf(one, roots));
  return { hosts: hostsOf(place, configurations), secret: present, next: following, configurations };
}

function readingOf(object: WatchedObject): PairReading {
  return readPair((key) => secretBytes(object as unknown as Secret, key)); // by its kind
}

function pairOf(
  { object: { metadata }, reading }: { object: WatchedObject; reading: PairReading },
  roots: readonly CertificateFacts[],
): FoundPair {
  const ours = Object.entries(WEBHOOK_CERTIFICATE_LABELS).every(([name, value]) => metadata.labels?.[name] === value);
  return { metadata, ours, reading, root: reading.kind === "pair" ? signerOf(reading.chain[0], roots) : undefined };
}

function configurationOf(object: WatchedObject, place: WebhookPlace): FoundConfiguration {
  const { kind, metadata } = object;
  const { webhooks } = object as { readonly webhooks?: readonly Webhook[] | null }; // by its kind
  const said = [...Object.keys(metadata.annotations ?? {}), ...Object.keys(metadata.labels ?? {})];
  const other = OTHERS.find(({ name }) => said.some((key) => name.test(key)));
  return {
    ...{ kind, metadata },
    entries: (webhooks ?? []).flatMap((webhook, index) => {
      const entry = entryOf(webhook, place);
      return entry ? [{ ...entry, index }] : [];
    }),
    shallFail: metadata.annotations?.[FAILURE_POLICY_ANNOTATION] === "Fail",
    ...(other && { keptBy: other.who }),
  };
}

interface Webhook {
  readonly clientConfig?: {
    readonly caBundle?: string;
    readonly url?: string;
    readonly service?: { readonly namespace: string; readonly name: string };
  };
  readonly failurePolicy?: string;
}

/** One that calls another Service is somebody else's. */
function entryOf(
  { clientConfig = {}, failurePolicy }: Webhook,
  { service }: WebhookPlace,
): Omit<FoundEntry, "index"> | undefined {
  const { caBundle = "", url, service: called } = clientConfig;
  if (called && (called.namespace !== service.namespace || called.name !== service.name)) return undefined;
  const host = url !== undefined && URL.canParse(url) ? new URL(url).hostname.replace(/^\[|\]$/g, "") : undefined;
  return {
    trusted: readCertificates(bytesOf(caBundle)) ?? [],
    ignoresFailures: failurePolicy === "Ignore",
    ...(host !== undefined && { host }),
  };
}

function bytesOf(base64: string): Uint8Array {
  try {
    return Uint8Array.fromBase64(base64);
  } catch {
    return new Uint8Array(); // no API server has such a value
  }
}

function hostsOf(
  { service: { namespace, name } }: WebhookPlace,
  configurations: readonly FoundConfiguration[],
): readonly string[] {
  const dialled = configurations.flatMap(({ entries }) => entries.flatMap(({ host }) => host ?? []));
  return [`${name}.${namespace}.svc`, `${name}.${namespace}.svc.cluster.local`, ...dialled];
}
