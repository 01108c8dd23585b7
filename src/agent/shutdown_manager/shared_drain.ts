/** One drain for everybody who asks: it begins once, and all are told of its end. */
export class SharedDrain {
  readonly #run: () => Promise<void>;
  readonly #ended = Promise.withResolvers<void>();
  #state: "waiting" | "draining" | "drained" = "waiting";

  /** @param run drains; called once at most, and fails only when the process ends */
  constructor(run: () => Promise<void>) {
    this.#run = run;
  }

  get state(): "waiting" | "draining" | "drained" {
    return this.#state;
  }

  /** Begins, unless that was done. */
  begin(): void {
    if (this.#state !== "waiting") return;
    this.#state = "draining";
    this.#run().then(() => {
      this.#state = "drained";
      this.#ended.resolve();
    }, () => {}); // the process ends, and with it all who wait
  }

  /** Whether the drain has ended before the signal comes. */
  async ended(signal: AbortSignal): Promise<boolean> {
    if (this.#state === "drained") return true;
    if (signal.aborted) return false;
    const gone = Promise.withResolvers<boolean>();
    const onAbort = () => gone.resolve(false);
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      return await Promise.race([this.#ended.promise.then(() => true), gone.promise]);
    } finally {
      signal.removeEventListener("abort", onAbort);
    }
  }
}
