/**
 * A directory without a disk and without waiting, for the tests of this folder.
 * @module
 */
import { type Clock, ManualClock } from "../../base/mod.ts";
import { openMemoryStore } from "../memory/mod.ts";
import { Directory, type DirectoryOptions } from "./directory.ts";
import type { DirectoryReport } from "./report.ts";
import type { DirectoryDisk, Scan } from "./scan.ts";

const KINDS = [{ apiVersion: "x/v1", kind: "Config" }];

/** Short waits are over at once, the time they take is counted; long ones end only by {@linkcode QuickClock.advance}. */
export class QuickClock implements Clock {
  readonly #slow = new ManualClock();
  #skipped = 0;

  now(): number {
    return this.#slow.now() + this.#skipped;
  }

  monotonic(): number {
    return this.now();
  }

  after(ms: number, callback: () => void): () => void {
    if (ms >= 1000) return this.#slow.after(ms, callback);
    let cancelled = false;
    queueMicrotask(() => {
      this.#skipped += ms;
      if (!cancelled) callback();
    });
    return () => cancelled = true;
  }

  advance(ms: number): void {
    this.#slow.advance(ms);
  }
}

/** A directory in memory; `onRead` may change it between two looks. */
export class FakeDisk implements DirectoryDisk {
  readonly files = new Map<string, string>();
  unreadable: Scan["unreadable"] = [];
  onRead = () => {};
  changed = () => {};

  read(): Promise<Scan> {
    this.onRead();
    const files = [...this.files].sort(([a], [b]) => a < b ? -1 : 1)
      .map(([name, text]) => ({ name, text, stamp: String(text.length) }));
    return Promise.resolve({ files, unreadable: this.unreadable });
  }

  watch(onChange: () => void): void {
    this.changed = onChange;
  }

  close(): void {}
}

/** The text of one object. */
export function manifest(name: string, spec: unknown = {}): string {
  return `apiVersion: x/v1\nkind: Config\nmetadata:\n  name: ${name}\nspec: ${JSON.stringify(spec)}\n---\n`;
}

/** A directory, its disk and its store. */
export class Scene implements AsyncDisposable {
  readonly disk = new FakeDisk();
  readonly clock = new QuickClock();
  readonly store = openMemoryStore({ clock: this.clock });
  readonly reports: DirectoryReport[] = [];
  directory: Directory;

  constructor(options: Partial<DirectoryOptions> = {}) {
    this.directory = this.open(options);
  }

  open(options: Partial<DirectoryOptions> = {}): Directory {
    const onReport = (report: DirectoryReport) => void this.reports.push(report);
    const { clock, store } = this;
    return this.directory = new Directory(this.disk, { dir: "conf", clock, store, kinds: KINDS, onReport, ...options });
  }

  /** Name → spec of what the store holds. */
  async stored(): Promise<Record<string, unknown>> {
    const { items } = await this.store.list("Config");
    return Object.fromEntries(items.map(({ metadata, spec }) => [metadata.name, spec]));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.directory.close();
    await this.store.close();
  }
}
