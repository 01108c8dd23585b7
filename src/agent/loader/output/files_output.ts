import type { Plan, Present, Step } from "../plan.ts";
import {
  fileMode,
  makeDirectory,
  type Modes,
  readPresent,
  removeIfThere,
  trying,
  writeRecord,
  writeWhole,
} from "./disk.ts";
import type { Output } from "./output.ts";

/**
 * One rename per file: written to `<root>/new/`, then moved to `<root>/current/`, which is what Envoy's file sources notice with
 * nothing but a `path`.
 */
export class FilesOutput implements Output {
  readonly #root: string;
  readonly #modes: Modes;

  constructor(root: string, modes: Modes) {
    this.#root = root;
    this.#modes = modes;
  }

  read(paths: Iterable<string>): Promise<Present> {
    return readPresent(this.#root, paths);
  }

  async carryOut({ steps, owned }: Plan, present: Present): Promise<void> {
    for (const folder of ["", "/new", "/current"]) await makeDirectory(`${this.#root}${folder}`, this.#modes);
    // Who owns too much loses nothing; who owns too little leaves a file behind for ever.
    await writeRecord(this.#root, new Map([...present.owned, ...owned]));
    for (const step of steps) await this.#take(step);
    await writeRecord(this.#root, owned);
    await this.#clean();
  }

  async #take(step: Step): Promise<void> {
    const target = `${this.#root}/current/${step.path}`;
    const folder = step.path.includes("/") ? target.slice(0, target.lastIndexOf("/")) : undefined;
    if (step.do === "remove") {
      await removeIfThere(target);
      if (folder !== undefined) await Deno.remove(folder).catch(() => {}); // not empty: others are still there
      return;
    }
    if (folder !== undefined) await makeDirectory(folder, this.#modes);
    const draft = `${this.#root}/new/${step.path.replace("/", "=")}`; // no key has a "="
    await writeWhole(draft, step.bytes, fileMode(this.#modes, step.secret));
    await trying(`put ${JSON.stringify(target)} in place`, () => Deno.rename(draft, target));
  }

  /** What an earlier run wrote and did not get to move. */
  async #clean(): Promise<void> {
    for await (const { name } of Deno.readDir(`${this.#root}/new`)) await removeIfThere(`${this.#root}/new/${name}`);
  }
}
