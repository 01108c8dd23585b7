import { type Secret, secretBytes } from "../../api/mod.ts";
import { ChanceryError, type Clock, errorMessage, formatKey, isRetryable, type ObjectKey } from "../../base/mod.ts";
import type { CertificateFacts } from "../../pki/mod.ts";
import { issueCertificate } from "../../pki/crypto/mod.ts";
import type { NewPair } from "../certificate/objects.ts";
import type { OwnedStore } from "../engine/owned_store.ts";
import { QuietConflicts } from "../engine/quiet_conflicts.ts";
import { WorkQueue, type WorkResult } from "../engine/work_queue.ts";
import { checkLeading } from "../engine/writing.ts";
import { gatherState, nextKey, placeKeys, secretKey, type WebhookPlace } from "./gather.ts";
import { Held } from "./held.ts";
import type { FoundPair, FoundReplica, WebhookCertificateInput } from "./inputs.ts";
import { configurationValues, type Fence, pairSecret, type PatchedValue } from "./objects.ts";
import { planWebhookCertificate, type WebhookCertificatePlan, type WebhookCertificateStep } from "./plan.ts";
import { isServedBy, isTrustedBy, nameOf, usablePair, wantedTrust } from "./trust.ts";
import { wantedRoot } from "./wanted.ts";

/** What is needed of a store. */
export interface WebhookCertificateStore extends Pick<OwnedStore, "get" | "watch" | "apply" | "remove"> {
  /** Sets single values and leaves the rest to whoever applies it. Refused with `conflict` when the version is no longer the stored one. */
  patch(
    key: ObjectKey,
    values: readonly PatchedValue[],
    options: { fieldManager: string; resourceVersion: string },
  ): Promise<unknown>;
}

/** Options of {@linkcode WebhookCertificateController}. */
export interface WebhookCertificateControllerOptions {
  readonly place: WebhookPlace;
  readonly store: WebhookCertificateStore;
  readonly leading: () => boolean;
  /** For pauses, and for how long something has been so. */
  readonly clock: Clock;
  /** How long all replicas have to show a certificate before the earlier one is trusted no longer. */
  readonly retireMs: number;
  /** The time by which the API server judges certificates, in milliseconds. */
  readonly serverTime: () => Promise<number>;
  /** The replicas of the webhook that live; `undefined` when nobody can be seen. */
  readonly replicas: () => Promise<readonly FoundReplica[] | undefined>;
  /** A number in [0, 1), for the jitter of retries. */
  readonly random: () => number;
  /** So many random bytes, for serial numbers. */
  readonly randomBytes: (count: number) => Uint8Array;
  /** Told what was done. */
  readonly onStep: (step: WebhookCertificateStep) => void;
  /** Told what is planned whenever it is something else than before. */
  readonly onPlan: (plan: WebhookCertificatePlan) => void;
  readonly onError: (about: ObjectKey, failure: { message: string; retryInMs?: number }) => void;
}

/** How often to look though nobody tells of a change. In milliseconds. */
const LOOK_MS = 30_000;
/** As often while replicas are waited for, whose Leases nobody tells of. */
const REPLICAS_MS = 5_000;
/** As often while API servers learn what to trust. */
const SETTLING_MS = 1_000;
/** When what was refused is tried again. */
const REFUSED_MS = 60_000;
const FIELD_MANAGER = "chancery-webhook-certificate";

/** Makes and changes the certificate of the webhook, and has the API server trust it. Only the replica that leads does. */
export class WebhookCertificateController {
  readonly #options: WebhookCertificateControllerOptions;
  readonly #key: ObjectKey;
  readonly #conflicts: QuietConflicts;
  readonly #trusted = new Held();
  readonly #served = new Held();
  #queue: WorkQueue | undefined;
  #plan: WebhookCertificatePlan | undefined;
  #refused = false;

  constructor(options: WebhookCertificateControllerOptions) {
    this.#options = options;
    this.#key = secretKey(options.place);
    this.#conflicts = new QuietConflicts(options.random);
  }

  /** Goes on until `signal`. */
  start(signal: AbortSignal): Promise<void> {
    if (this.#queue) throw new TypeError("A WebhookCertificateController starts once");
    const { place, store, clock, random, onError } = this.#options;
    this.#queue = new WorkQueue({
      ...{ clock, random, signal },
      work: (id) => this.#work(id),
      onError: (_id, { error, retryInMs }) =>
        onError(this.#key, { message: errorMessage(error), ...(retryInMs !== undefined && { retryInMs }) }),
    });
    const keys = placeKeys(place);
    const looked = new Set(keys.map(formatKey));
    // Who may not watch looks now and then all the same: nobody waits for this.
    store.watch(
      [...new Set(keys.map(({ kind }) => kind))],
      ({ object: { kind, metadata: { namespace = "", name } } }) => {
        if (looked.has(formatKey({ kind, namespace, name }))) this.lookAtAll();
      },
      { signal },
    ).catch((thrown) => onError(this.#key, { message: errorMessage(thrown) }));
    return Promise.resolve();
  }

  /** This replica leads from now on, or something has changed. */
  lookAtAll(): void {
    this.#queue?.add(formatKey(this.#key));
  }

  /** 1 while it cannot be brought to what it should be. */
  get failing(): number {
    return (this.#queue?.failing ?? 0) + (this.#refused ? 1 : 0);
  }

  /** 1 while it is to be looked at. */
  get waiting(): number {
    return this.#queue?.size ?? 0;
  }

  /** Resolves when nothing is left to do for now. */
  idle(): Promise<void> {
    return this.#queue?.idle() ?? Promise.resolve();
  }

  /** What was planned last; `undefined` when this replica has not led yet. */
  get plan(): WebhookCertificatePlan | undefined {
    return this.#options.leading() ? this.#plan : undefined;
  }

  async #work(id: string): Promise<WorkResult | void> {
    const { leading } = this.#options;
    if (!leading()) return;
    try {
      const requeueAfterMs = await this.#look();
      this.#refused = false;
      this.#conflicts.over(id);
      return { requeueAfterMs };
    } catch (error) {
      if (!leading()) return; // whoever leads now does it
      if (!isRetryable(error)) return this.#refusal(error);
      const again = this.#conflicts.again(id, error);
      if (!again) throw error;
      return again;
    }
  }

  /** Rights may be others in a minute, of which nobody tells. */
  #refusal(error: unknown): WorkResult {
    this.#refused = true;
    this.#options.onError(this.#key, { message: errorMessage(error), retryInMs: REFUSED_MS });
    return { requeueAfterMs: REFUSED_MS };
  }

  /** One look, and one step. Returns when to look again, in milliseconds. */
  async #look(): Promise<number> {
    const input = await this.#gather();
    const plan = planWebhookCertificate(input);
    if (printOf(plan) !== (this.#plan && printOf(this.#plan))) this.#options.onPlan(plan);
    this.#plan = plan;
    const { step } = plan;
    if (step.do === "wait") {
      if (plan.phase === "Trust") return SETTLING_MS;
      const atMost = step.for.length > 0 ? REPLICAS_MS : LOOK_MS;
      return Math.max(0, Math.min(atMost, (step.until ?? Infinity) - input.now));
    }
    await this.#take(step, input);
    this.#options.onStep(step);
    return 0;
  }

  async #gather(): Promise<WebhookCertificateInput> {
    const { place, store, clock, retireMs, serverTime, replicas: ask } = this.#options;
    const [state, replicas, now] = await Promise.all([gatherState(place, store), ask(), serverTime()]);
    const roots = wantedTrust(state);
    const told = state.configurations.every((one) => isTrustedBy(one, roots));
    const leaf = usablePair(state.secret)?.leaf.fingerprint;
    const served = leaf !== undefined && isServedBy(replicas, leaf) ? leaf : undefined;
    const at = clock.monotonic();
    return {
      ...{ ...state, replicas, now, retireMs },
      trustedForMs: this.#trusted.see(told ? nameOf(roots) : undefined, at),
      servedForMs: this.#served.see(served, at),
    };
  }

  async #take(
    step: Exclude<WebhookCertificateStep, { do: "wait" }>,
    input: WebhookCertificateInput,
  ): Promise<void> {
    switch (step.do) {
      case "issue":
        return await this.#issue(step, input);
      case "promote": {
        const pair = await this.#pairOf(nextKey(this.#options.place), input.next);
        return await this.#write(this.#key, { pair, trust: step.trust, over: fenceOf(input.secret) });
      }
      case "remember": {
        const pair = await this.#pairOf(this.#key, input.secret);
        return await this.#write(this.#key, { pair, trust: step.trust, over: fenceOf(input.secret) });
      }
      case "discard": {
        checkLeading(this.#options.leading);
        const { uid = "" } = input.next?.metadata ?? {};
        await this.#options.store.remove(nextKey(this.#options.place), { uid });
        return;
      }
      case "trust":
      case "require":
        for (const configuration of step.configurations) {
          const { kind, metadata: { name, resourceVersion = "" } } = configuration;
          const roots = step.do === "trust" ? step.roots : wantedTrust(input);
          const values = configurationValues(configuration, { roots, require: step.do === "require" });
          checkLeading(this.#options.leading);
          const options = { fieldManager: FIELD_MANAGER, resourceVersion };
          await this.#options.store.patch({ kind, namespace: "", name }, values, options);
        }
    }
  }

  async #issue(
    { as, wanted, trust }: Extract<WebhookCertificateStep, { do: "issue" }>,
    { now }: WebhookCertificateInput,
  ): Promise<void> {
    const random = this.#options.randomBytes;
    const root = await issueCertificate(wantedRoot(), { now, random });
    const text = new TextEncoder();
    const issuer = { certificate: text.encode(root.certificate), key: text.encode(root.key) }; // forgotten after this
    const { certificate, key } = await issueCertificate(wanted, { now, random, issuer });
    const at = as === "first" ? this.#key : nextKey(this.#options.place);
    await this.#write(at, { pair: { certificate, key }, trust: [...trust, root.facts], over: undefined });
  }

  async #write(
    key: ObjectKey,
    content: { pair: NewPair; trust: readonly CertificateFacts[]; over: Fence | undefined },
  ): Promise<void> {
    checkLeading(this.#options.leading);
    // What was not seen is not there, or somebody else's, and then it is not overwritten.
    const force = content.over !== undefined;
    await this.#options.store.apply(pairSecret(key, content), { fieldManager: FIELD_MANAGER, force });
  }

  /** What a Secret holds, in the very version that was seen. */
  async #pairOf(key: ObjectKey, seen: FoundPair | undefined): Promise<NewPair> {
    const secret = await this.#options.store.get(key);
    const bytes = (part: string) => secret && secretBytes(secret as unknown as Secret, part); // by its kind
    const [certificate, privateKey] = [bytes("tls.crt"), bytes("tls.key")];
    if (!certificate || !privateKey || secret?.metadata.resourceVersion !== seen?.metadata.resourceVersion) {
      throw new ChanceryError("conflict", `Cannot use ${formatKey(key)}: it was changed meanwhile`);
    }
    const text = new TextDecoder();
    return { certificate: text.decode(certificate), key: text.decode(privateKey) };
  }
}

function fenceOf(found: FoundPair | undefined): Fence | undefined {
  const { uid = "", resourceVersion = "" } = found?.metadata ?? {};
  return found && { uid, resourceVersion };
}

/** What people are told of a plan. */
function printOf({ step, phase, problem, leftTo }: WebhookCertificatePlan): string {
  return JSON.stringify([phase, problem, leftTo, step.do === "wait" ? step.for : []]);
}
