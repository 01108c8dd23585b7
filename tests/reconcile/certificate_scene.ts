/**
 * Certificates of a namespace on a manual clock, in memory, and a controller that can end at any write.
 * @module
 */
import { expect } from "expect";
import {
  type DiscoveryServiceCertificate,
  type DiscoveryServiceCertificateSpec,
  type DiscoveryServiceCertificateStatus,
  OPERATOR_ANNOTATIONS,
  OPERATOR_API_VERSION,
} from "../../src/api/operator/mod.ts";
import { ChanceryError, ManualClock, type ObjectKey } from "../../src/base/mod.ts";
import { readPair } from "../../src/pki/crypto/mod.ts";
import {
  CertificateController,
  type CertificateControllerOptions,
} from "../../src/reconcile/certificate/controller.ts";
import { keySweep } from "../../src/reconcile/certificate/key_sweep.ts";
import { bytesIn } from "../../src/reconcile/certificate/secret_readings.ts";
import type { ObjectController } from "../../src/reconcile/engine/object_controller.ts";
import type { WatchedObject } from "../../src/reconcile/engine/object_source.ts";
import type { OwnedStore } from "../../src/reconcile/engine/owned_store.ts";
import { openMemoryStore } from "../../src/store/mod.ts";

/** See above. */
export class CertificateScene implements AsyncDisposable {
  readonly clock = new ManualClock(Date.parse("2026-03-04T05:06:07Z"));
  readonly store = openMemoryStore({ clock: this.clock });
  /** How far the clock of the process is ahead of all others, in milliseconds. */
  skewMs = 0;
  readonly errors: string[] = [];
  writes = 0;
  /** The process ends instead of this one of its writes, counted from now. */
  crashAt = Infinity;
  controller: CertificateController | undefined;
  readonly #options: Partial<CertificateControllerOptions>;
  #sweep: ObjectController | undefined;
  #stop = new AbortController();

  constructor(options: Partial<CertificateControllerOptions> = {}) {
    this.#options = options;
  }

  /** Starts the process, again after it ended. */
  async start(): Promise<void> {
    await this.end();
    const stop = this.#stop = new AbortController();
    this.crashAt = Infinity;
    const means = {
      store: this.#storeOf(stop),
      leading: () => !stop.signal.aborted,
      clock: {
        now: () => this.clock.now() + this.skewMs,
        monotonic: () => this.clock.monotonic(),
        after: (ms: number, callback: () => void) => this.clock.after(ms, callback),
      },
      random: () => 0,
      onError: (_about: ObjectKey, { message }: { message: string }) => void this.errors.push(message),
    };
    this.controller = new CertificateController({
      ...means,
      randomBytes: (count) => crypto.getRandomValues(new Uint8Array(count)),
      strictIssuers: false,
      ...this.#options,
    });
    const { keyNamespace } = this.#options;
    if (keyNamespace !== undefined) this.#sweep = keySweep({ ...means, keyNamespace });
    await this.#sweep?.start(stop.signal);
    await this.controller.controller.start(stop.signal);
    await this.settle();
  }

  /** Ends the process. */
  async end(): Promise<void> {
    this.#stop.abort();
    await this.#idle();
  }

  /** A certificate; `metadata` may say more, `namespace` included. */
  async want(name: string, spec: Partial<DiscoveryServiceCertificateSpec>, metadata: object = {}): Promise<void> {
    const object = {
      apiVersion: OPERATOR_API_VERSION,
      kind: "DiscoveryServiceCertificate",
      metadata: { namespace: "demo", ...metadata, name },
      spec: { commonName: name, validFor: 100, secretRef: { name }, ...spec },
    };
    await this.store.apply(object, { fieldManager: "user", force: true });
    await this.settle();
  }

  /** Asks for another CA in the place of the one that is called `ca`. */
  async rotate(): Promise<void> {
    const { rotation } = await this.status("ca");
    const annotations = { [OPERATOR_ANNOTATIONS.rotate]: rotation!.current };
    const metadata = { name: "ca", namespace: "demo", annotations };
    const kind = "DiscoveryServiceCertificate";
    await this.store.apply({ apiVersion: OPERATOR_API_VERSION, kind, metadata }, { fieldManager: "certs" });
    await this.settle();
  }

  /** Where the change of the CA stands. */
  async phase(): Promise<string | undefined> {
    return (await this.status("ca")).rotation?.phase;
  }

  /** Lets the time pass until a phase: 90 times a minute, or what is given in milliseconds. */
  async until(phase: string, { stepMs = 60_000 } = {}): Promise<void> {
    for (let steps = 0; steps < 90 && await this.phase() !== phase; steps++) {
      this.clock.advance(stepMs);
      await this.settle();
    }
    expect(await this.phase()).toBe(phase);
  }

  /** Lets the time pass, a second at a time, as far as anything waits for it. */
  async pass(seconds: number): Promise<void> {
    for (let second = 0; second < seconds; second++) {
      this.clock.advance(1000);
      await this.settle();
    }
  }

  /** Waits until nothing is left to do now. */
  async settle(): Promise<void> {
    for (let quiet = 0; quiet < 3; quiet++) {
      await this.#idle();
      await new Promise((resolve) => setTimeout(resolve));
      const before = this.writes;
      this.clock.advance(20); // what was overtaken by another write comes back after some
      await this.#idle();
      if (this.writes !== before) quiet = 0;
    }
  }

  async status(name: string): Promise<DiscoveryServiceCertificateStatus> {
    const key = { kind: "DiscoveryServiceCertificate", namespace: "demo", name };
    const object = await this.store.get(key) as unknown as DiscoveryServiceCertificate; // by its kind
    return object.status ?? {};
  }

  async secret(key: ObjectKey) {
    const secret = await this.store.get(key) as WatchedObject | undefined;
    const reading = secret && readPair((name) => bytesIn(secret, name));
    if (reading?.kind !== "pair") return undefined;
    return { leaf: reading.chain[0], trusted: reading.trusted ?? [], keyMatches: reading.keyMatches };
  }

  async #idle(): Promise<void> {
    await Promise.all([this.#sweep?.idle(), this.controller?.controller.idle()]);
  }

  #storeOf(stop: AbortController): OwnedStore {
    const { store } = this;
    const write = <T>(run: () => Promise<T>): Promise<T> => {
      if (stop.signal.aborted || --this.crashAt < 0) {
        stop.abort();
        return Promise.reject(new ChanceryError("unavailable", "the process has ended"));
      }
      this.writes++;
      return run();
    };
    return {
      get: (key) => store.get(key) as Promise<WatchedObject | undefined>,
      watch: (kinds, onEvent, options) => store.watch(kinds, (event) => onEvent(event as never), options),
      apply: (object, options) => write(() => store.apply(object, options) as Promise<never>),
      updateStatus: (key, status, options) => write(() => store.updateStatus(key, status, options) as Promise<never>),
      remove: (key, options) => write(() => store.remove(key, options)),
      record: (event) => store.record(event),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end();
    await (this.store as Partial<AsyncDisposable>)[Symbol.asyncDispose]?.();
  }
}
