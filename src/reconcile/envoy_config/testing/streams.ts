import type { ClientReport } from "../client_reports.ts";

/** What a stream says of what it is offered. */
export type Answer = "accepts" | "refuses" | "refuses-data" | "silent";

/** The Envoys connected to one replica: each says of what is served what it was told to say. */
export class Streams {
  /** What is on offer; undefined while nothing is. */
  serving: string | undefined;
  #answers: readonly Answer[] = [];
  #answered: string | undefined;
  readonly #now: () => number;
  readonly #refusedAt = new Map<string, number>();

  constructor(now: () => number) {
    this.#now = now;
  }

  get count(): number {
    return this.#answers.length;
  }

  /** Something is on offer from now on; nobody has said anything of it. Whether that is new. */
  offer(publication: string): boolean {
    if (publication === this.serving) return false;
    this.serving = publication;
    this.#answers = this.#answers.map(() => "silent");
    return true;
  }

  /** Streams come, or go; those that stay keep what they said. */
  connect(count: number): void {
    this.#answers = Array.from({ length: count }, (_, index) => this.#answers[index] ?? "silent");
  }

  /** What the connected streams say of what is served now. */
  answer(answers: readonly Answer[]): void {
    this.#answers = [...answers];
    this.#answered = this.serving;
  }

  /** What they say of it. */
  get answers(): readonly Answer[] {
    return this.#answered === this.serving ? this.#answers : this.#answers.map(() => "silent");
  }

  reports(): ClientReport[] {
    if (this.serving === undefined || this.#answers.length === 0) return [];
    const { answers } = this;
    const count = (answer: Answer) => answers.filter((one) => one === answer).length;
    const rejections = answers.flatMap((answer, index) =>
      answer === "refuses" || answer === "refuses-data"
        ? [{
          streamId: String(index),
          client: `envoy-${index}`,
          typeUrl: "type.googleapis.com/envoy.config.listener.v3.Listener",
          version: "v",
          message: answer === "refuses" ? "listener is bad" : "certificate is bad",
          at: this.#firstRefusal(this.serving!),
        }]
        : []
    );
    return [{
      revision: this.serving,
      connected: answers.length,
      sent: answers.length,
      accepted: count("accepts"),
      rejected: count("refuses"),
      refusedData: count("refuses-data"),
      pending: count("silent"),
      ...(count("refuses") > 0 ? { firstRefusalAt: this.#firstRefusal(this.serving) } : {}),
      rejections: rejections.slice(0, 5),
    }];
  }

  #firstRefusal(publication: string): number {
    const at = this.#refusedAt.get(publication) ?? this.#now();
    this.#refusedAt.set(publication, at);
    return at;
  }
}
