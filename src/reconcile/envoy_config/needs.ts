import { isRetryable, type ObjectKey } from "../../base/mod.ts";
import type { CompiledSpec } from "../../snapshot/mod.ts";
import type { ObjectStore } from "../engine/object_source.ts";

/** Which Secrets each group was said to need, so that the store is asked only when that changes, and once at a time. */
export class Needs {
  readonly #store: Pick<ObjectStore, "need">;
  readonly #told = new Map<string, { readonly text: string; readonly done: Promise<void> }>();

  constructor(store: Pick<ObjectStore, "need">) {
    this.#store = store;
  }

  /**
   * Resolves once the content of all Secrets that the specs name is known as far as there is any, or cannot be had: what is not
   * there then is missing. Throws when that may be otherwise soon.
   */
  async ensure(group: string, specs: readonly CompiledSpec[]): Promise<void> {
    if (!this.#store.need) return;
    const names = new Set(specs.flatMap(({ namespace, used }) => used.secrets.map((name) => `${namespace}/${name}`)));
    const wanted = [...names].sort();
    const text = wanted.join("\n");
    const known = this.#told.get(group);
    if (known?.text === text) return await known.done;
    if (!known && text === "") return;
    const asked = { text, done: this.#ask(group, wanted) };
    this.#told.set(group, asked);
    try {
      await asked.done;
      if (text === "" && this.#told.get(group) === asked) this.#told.delete(group);
    } catch (error) {
      if (this.#told.get(group) === asked) this.#told.delete(group);
      throw error;
    }
  }

  async #ask(group: string, wanted: readonly string[]): Promise<void> {
    try {
      await this.#store.need?.(group, wanted.map(secretKey));
    } catch (error) {
      if (isRetryable(error)) throw error;
    }
  }
}

function secretKey(id: string): ObjectKey {
  const [namespace = "", name = ""] = id.split("/");
  return { kind: "Secret", namespace, name };
}
