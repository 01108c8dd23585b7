import { bundleOf, certificateSettings, type DiscoveryServiceCertificateStatus } from "../../api/operator/mod.ts";
import { type Clock, formatKey, type ObjectKey } from "../../base/mod.ts";
import { bundleName, type CertificateFacts, type RotationPhase, type WantedCertificate } from "../../pki/mod.ts";
import { readPair } from "../../pki/crypto/mod.ts";
import { LiveCache } from "../engine/live_cache.ts";
import { keyOf, type ObjectEvent } from "../engine/object_source.ts";
import { ObjectController } from "../engine/object_controller.ts";
import type { OwnedStore } from "../engine/owned_store.ts";
import type { PlannedEvent } from "../engine/planned.ts";
import type { View } from "../engine/view.ts";
import { checkLeading } from "../engine/writing.ts";
import {
  type AuthorityState,
  gatherAuthority,
  gatherCertificate,
  type ReplicasOf,
  type StoredCertificate,
} from "./gather.ts";
import { CERTIFICATE, CertificateIndex, isAuthority, secretKeyOf } from "./index.ts";
import type { AuthorityInput, CertificateInput, FoundSecret } from "./inputs.ts";
import { planCertificate } from "./plan.ts";
import type { KeptAuthority } from "./kept_authority.ts";
import { type AuthorityPlan, planAuthority } from "./plan_authority.ts";
import { SecretReadings } from "./secret_readings.ts";
import { Signers } from "./signers.ts";
import { SecretWriter } from "./secret_writer.ts";

/** Options of {@linkcode CertificateController}. */
export interface CertificateControllerOptions {
  readonly store: OwnedStore;
  readonly leading: () => boolean;
  readonly clock: Clock;
  /** A number in [0, 1), for the jitter of retries. */
  readonly random: () => number;
  /** So many random bytes, for serial numbers. */
  readonly randomBytes: (count: number) => Uint8Array;
  /** Whether a CA must allow each namespace that it signs for. */
  readonly strictIssuers: boolean;
  /** Nobody is waited for when absent. */
  readonly replicas?: ReplicasOf;
  /** Where the keys of the CAs of discovery services are kept; beside the CAs when absent (S3). */
  readonly keyNamespace?: string;
  readonly resyncMs?: number;
  /** A certificate was issued. */
  readonly onIssued?: (about: ObjectKey) => void;
  readonly onError: (about: ObjectKey, failure: { message: string; retryInMs?: number }) => void;
}

/** What a certificate says of itself; times in milliseconds since the epoch. */
export interface CertificateReport {
  readonly namespace: string;
  readonly name: string;
  readonly ready: boolean;
  readonly notAfter: number | undefined;
  readonly rotation: { readonly phase: RotationPhase; readonly since: number } | undefined;
}

/** How often replicas are asked what they trust while somebody waits for them, in milliseconds. */
const ASK_REPLICAS_MS = 5_000;
/** Times in a status are rounded up by as much; so long what was written just now lies ahead. In milliseconds. */
const ROUNDING_MS = 1000;
/** Looking at a CA takes a tenth of the time at most, and news about it wait no longer than this, in milliseconds. */
const REST_TIMES = 9;
const MAX_REST_MS = 1000;
/** How soon to look again after something was written: at once. */
const AT_ONCE = 0;

/** Issues, renews and rotates what DiscoveryServiceCertificates ask for. */
export class CertificateController {
  readonly controller: ObjectController;
  readonly #options: CertificateControllerOptions;
  readonly #cache = new LiveCache();
  readonly #index = new CertificateIndex();
  readonly #signers = new Signers();
  readonly #readings: SecretReadings;
  readonly #writer: SecretWriter;
  readonly #authorities = new Map<string, AuthorityState>();

  constructor(options: CertificateControllerOptions) {
    this.#options = options;
    const { store, leading, clock, randomBytes } = options;
    this.#readings = new SecretReadings({ store, readPair });
    this.#writer = new SecretWriter({
      ...{ store, leading, randomBytes },
      now: () => clock.now(),
      cache: this.#cache,
      readings: this.#readings,
    });
    this.controller = new ObjectController({
      ...options,
      cache: this.#cache,
      work: {
        kind: CERTIFICATE,
        watched: ["Secret", "ConfigMap", "DiscoveryService"],
        look: (object, view) => {
          const certificate = object as StoredCertificate; // by its kind
          return isAuthority(certificate) ? this.#lookAtAuthority(certificate, view) : this.#look(certificate, view);
        },
        restMs: (object, tookMs) => {
          // It looks at all that it has signed, and each of them changes when all are issued.
          return isAuthority(object as StoredCertificate) ? Math.min(tookMs * REST_TIMES, MAX_REST_MS) : 0; // by its kind
        },
        gone: (key) => this.#forget(key),
        onEvent: (event) => this.#take(event),
      },
    });
  }

  /** What the certificates say of themselves. */
  told(): CertificateReport[] {
    return [...this.#cache.every(CERTIFICATE)].map((object) => reportOf(object as StoredCertificate)); // by its kind
  }

  #take(event: ObjectEvent): void {
    const key = keyOf(event.object);
    if (key.kind === "Secret" && event.type === "deleted") this.#readings.forget(key);
    if (key.kind !== CERTIFICATE) return;
    this.#index.take(event);
    // What is signed by a CA tells it what there is to be waited for.
    const { signer } = (event.object as StoredCertificate).spec;
    const { name = "", namespace = "" } = signer?.caSigned?.caSecretRef ?? {};
    const authority = this.#index.authorityIn({ kind: "Secret", namespace, name });
    if (authority && event.type !== "modified") this.controller.lookAt(authority);
  }

  async #look(object: StoredCertificate, view: View): Promise<number | undefined> {
    const input = await gatherCertificate(object, {
      ...this.#means(view),
      strictIssuers: this.#options.strictIssuers,
      authority: (key) => this.#authorities.get(formatKey(key)),
    });
    if (input === "authority-unknown") return undefined; // the first look at it brings this one back
    const plan = planCertificate(input);
    const { secret } = plan;
    const seen = input.secret;
    if (secret.do === "nothing") {
      await this.#tell(object, plan);
      return plan.next;
    }
    if (secret.do === "issue") await this.#issue(object, { wanted: secret.wanted, input });
    else if (seen) {
      const bundle = secret.do === "complete" ? secret.bundle : trustedNow(seen) ?? input.bundle ?? [];
      await this.#writer.rewrite(object, { bundle, over: seen.metadata });
    }
    return AT_ONCE;
  }

  async #issue(
    object: StoredCertificate,
    { wanted, input }: { wanted: WantedCertificate; input: CertificateInput },
  ): Promise<void> {
    const { issuer, bundle, secret } = input;
    const secretRef = certificateSettings(object).issuer;
    const issuerKey = secretRef && { kind: "Secret", ...secretRef };
    const authority = issuerKey && this.#index.authorityIn(issuerKey);
    const key = authority && this.#authorities.get(formatKey(authority))?.key;
    const signer = issuer.kind === "usable" && issuerKey
      ? { certificate: issuer.certificate, secret: key ?? issuerKey }
      : undefined;
    const authorityObject = authority && this.#cache.get(authority);
    if (signer && authorityObject) {
      // by its kind
      await this.#writer.remember(authorityObject as StoredCertificate, { wanted, signer: signer.certificate });
    }
    await this.#writer.issue(object, { wanted, signer, bundle, over: secret?.metadata });
    this.#options.onIssued?.(keyOf(object));
  }

  async #lookAtAuthority(object: StoredCertificate, view: View): Promise<number | undefined> {
    const { input, roots, kept } = await gatherAuthority(object, {
      ...this.#means(view),
      replicas: this.#options.replicas ?? (() => Promise.resolve([])),
      keyNamespace: this.#options.keyNamespace,
    });
    for (const { metadata } of kept.leftover) await this.#writer.remove(metadata);
    if (kept.leftover.length > 0) return AT_ONCE;
    const plan = planAuthority(input);
    const { step } = plan;
    const bundle = plan.bundle.map((fingerprint) => roots.get(fingerprint)).filter((root) => root !== undefined);
    const reading = input.secret?.reading;
    const certificate = reading?.kind === "pair" && reading.keyMatches ? reading.chain[0] : undefined;
    const state = { certificate, signs: plan.signs, trusted: plan.trusted, bundle, key: kept.key };
    try {
      const next = await this.#step(object, { input, kept, plan, bundle, view });
      // In the middle of several steps there is nothing to go by.
      if (step.do === "wait" || isRemembered(plan)) this.#know(object, state);
      return next;
    } catch (error) {
      this.#know(object, state);
      throw error;
    }
  }

  async #step(
    object: StoredCertificate,
    { input, kept, plan, bundle, view }: {
      input: AuthorityInput;
      kept: KeptAuthority;
      plan: AuthorityPlan;
      bundle: readonly CertificateFacts[];
      view: View;
    },
  ): Promise<number | undefined> {
    const over = input.secret?.metadata;
    const { step } = plan;
    const { place } = kept;
    switch (step.do) {
      case "create":
        await this.#writer.issue(object, { wanted: plan.wanted, signer: undefined, bundle: undefined, over, place });
        this.#options.onIssued?.(keyOf(object));
        return AT_ONCE;
      case "create-next":
        await this.#writer.issue(object, {
          ...{ wanted: plan.wanted, signer: undefined, bundle: undefined, over: input.next?.metadata },
          ...{ place, next: true },
        });
        return AT_ONCE;
      case "publish":
        await this.#writer.publish(object, { bundle, live: view.get(bundleKey(object)) });
        return AT_ONCE;
      case "promote":
        await this.#writer.promote(object, { bundle, over, place, next: input.next!.metadata }); // there is one to promote
        return AT_ONCE;
      case "remove-next":
        await this.#writer.remove(input.next!.metadata); // as above
        return AT_ONCE;
      case "remember":
        if (isRemembered(plan) && plan.complete) return await this.#complete(object, { input, kept, bundle });
        await this.#tell(object, plan);
        return isRemembered(plan) ? input.now + ROUNDING_MS : AT_ONCE;
      case "wait":
        if (plan.complete) return await this.#complete(object, { input, kept, bundle });
        await this.#tell(object, plan);
        return input.servers.length === 0 ? plan.next : sooner(plan.next, input.now + ASK_REPLICAS_MS);
    }
  }

  /** Writes what the Secret beside a CA says. */
  async #complete(
    object: StoredCertificate,
    { input, kept, bundle }: { input: AuthorityInput; kept: KeptAuthority; bundle: readonly CertificateFacts[] },
  ): Promise<number> {
    const { secret, shown } = input;
    const { place } = kept;
    const certificate = secret?.reading.kind === "pair" ? secret.reading.chain[0] : undefined;
    if (secret && !shown) await this.#writer.rewrite(object, { bundle, over: secret.metadata });
    else if (shown && place && certificate) {
      await this.#writer.show(object, { place, certificate, bundle, over: shown.secret?.metadata });
    }
    return AT_ONCE;
  }

  #means(view: View) {
    const { clock } = this.#options;
    return {
      ...{ now: clock.now(), view, readings: this.#readings },
      ...{ signers: this.#signers, index: this.#index },
    };
  }

  /** Keeps what is known of a CA; what it signs is looked at again when that is something else. */
  #know(object: StoredCertificate, state: AuthorityState): void {
    const id = formatKey(keyOf(object));
    const before = this.#authorities.get(id);
    this.#authorities.set(id, state);
    if (before && printOf(before) === printOf(state)) return;
    for (const key of this.#index.signedBy(secretKeyOf(object))) this.controller.lookAt(key);
  }

  #forget(key: ObjectKey): void {
    this.#authorities.delete(formatKey(key));
  }

  async #tell(
    object: StoredCertificate,
    { status, events }: {
      readonly status: DiscoveryServiceCertificateStatus | undefined;
      readonly events: readonly PlannedEvent[];
    },
  ): Promise<void> {
    const { store, leading } = this.#options;
    if (status !== undefined) {
      checkLeading(leading);
      const { resourceVersion } = object.metadata;
      const options = resourceVersion === undefined ? {} : { resourceVersion };
      this.#cache.wrote(await store.updateStatus(keyOf(object), status, options));
    }
    for (const event of events) await store.record(event);
  }
}

function sooner(a: number | undefined, b: number): number {
  return a === undefined ? b : Math.min(a, b);
}

function printOf({ certificate, signs, trusted, bundle, key }: AuthorityState): string {
  const trusts = bundleName(bundle.map(({ fingerprint }) => fingerprint));
  return [certificate?.fingerprint, signs, trusted, trusts, formatKey(key)].join(" ");
}

/** Whether what is to be remembered is what the status says already. */
function isRemembered({ step, status }: AuthorityPlan): boolean {
  return step.do === "remember" && status === undefined;
}

function trustedNow({ reading }: FoundSecret): readonly CertificateFacts[] | undefined {
  return reading.kind === "pair" ? reading.trusted : undefined;
}

function bundleKey({ metadata: { name, namespace = "default" } }: StoredCertificate): ObjectKey {
  return { kind: "ConfigMap", namespace, name: bundleOf(name) };
}

function reportOf({ metadata: { namespace = "default", name }, status = {} }: StoredCertificate): CertificateReport {
  const { ready = false, notAfter, rotation } = status;
  return {
    ...{ namespace, name, ready },
    notAfter: notAfter === undefined ? undefined : Date.parse(notAfter),
    rotation: rotation && { phase: rotation.phase, since: Date.parse(rotation.since) },
  };
}
