/** What keeps a process from being ready, for `/readyz`. */
export class Missing {
  readonly #open = new Map<string, () => string>([["start", () => "starting"]]);

  /** One line for each. */
  told(): string[] {
    return [...this.#open.values()].map((why) => why());
  }

  /** Names a thing as missing until `work` is done. */
  async while<T>(name: string, why: () => string, work: () => Promise<T>): Promise<T> {
    this.#open.set(name, why);
    const result = await work();
    this.#open.delete(name);
    return result;
  }

  /** The start is over. */
  started(): void {
    this.#open.delete("start");
  }

  /** The end has begun. */
  ending(): void {
    this.#open.set("end", () => "shutting down");
  }
}
