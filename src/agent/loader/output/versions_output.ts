import { LoaderFailure } from "../failure.ts";
import type { Plan, Present } from "../plan.ts";
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

/** How many versions are kept, the one in place included. */
const KEPT = 3;

/**
 * All files at once: each set is a directory `<root>/versions/N`, and `<root>/current` a symbolic link that is replaced by a rename.
 * Envoy's file sources notice that with `watched_directory: {path: <root>}`, its `disk_layer` with `symlink_root: <root>/current`.
 */
export class VersionsOutput implements Output {
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
    await makeDirectory(this.#root, this.#modes);
    await this.#expectLink();
    await makeDirectory(`${this.#root}/versions`, this.#modes);
    await writeRecord(this.#root, new Map([...present.owned, ...owned]));
    if (steps.length > 0) await this.#swap(steps, present);
    await writeRecord(this.#root, owned);
  }

  async #swap(steps: Plan["steps"], { files, owned }: Present): Promise<void> {
    const numbers = await this.#versions();
    const next = (numbers.at(-1) ?? 0) + 1;
    const folder = `${this.#root}/versions/${next}`;
    await makeDirectory(folder, this.#modes);
    const taken = new Map(steps.map((step) => [step.path, step]));
    for (const [path, bytes] of files) {
      if (!owned.has(path) || taken.has(path)) continue;
      const { mode } = await Deno.stat(`${this.#root}/current/${path}`);
      await this.#put(folder, path, { bytes, mode: (mode ?? this.#modes.file) & 0o777 });
    }
    for (const step of steps) {
      if (step.do === "remove") continue;
      await this.#put(folder, step.path, { bytes: step.bytes, mode: fileMode(this.#modes, step.secret) });
    }
    const link = `${this.#root}/.current`;
    await removeIfThere(link);
    await trying(`put version ${next} in place`, async () => {
      await Deno.symlink(`versions/${next}`, link);
      await Deno.rename(link, `${this.#root}/current`);
    });
    for (const number of numbers.slice(0, Math.max(0, numbers.length + 1 - KEPT))) {
      await removeIfThere(`${this.#root}/versions/${number}`);
    }
  }

  async #put(folder: string, path: string, { bytes, mode }: { bytes: Uint8Array; mode: number }): Promise<void> {
    if (path.includes("/")) await makeDirectory(`${folder}/${path.slice(0, path.lastIndexOf("/"))}`, this.#modes);
    await writeWhole(`${folder}/${path}`, bytes, mode);
  }

  /** Numbers of all versions that are there, also of those that were never finished. */
  async #versions(): Promise<number[]> {
    const numbers: number[] = [];
    for await (const { name } of Deno.readDir(`${this.#root}/versions`)) {
      if (/^[1-9]\d*$/.test(name)) numbers.push(Number(name));
    }
    return numbers.sort((a, b) => a - b);
  }

  async #expectLink(): Promise<void> {
    const path = `${this.#root}/current`;
    const found = await Deno.lstat(path).catch(() => undefined);
    if (!found || found.isSymlink) return;
    throw new LoaderFailure(
      "unwritable",
      `Cannot swap ${
        JSON.stringify(path)
      }: it is no symbolic link but what --layout files makes; choose another --output-dir`,
    );
  }
}
