import type { Clock } from "../../base/mod.ts";
import { parseYaml } from "../../base/yaml/mod.ts";
import type { Registry } from "../../envoy/mod.ts";
import type { ApplyObject, EmbeddedStore } from "../../store/mod.ts";
import type { FindingLog, Logger, Metrics } from "../../telemetry/mod.ts";
import type { ConfigStatus } from "../admin/mod.ts";
import type { Locate } from "./findings.ts";
import type { StandaloneOptions } from "./options.ts";

/** The directory as the rest of a standalone sees it. */
export interface StandaloneDirectory {
  readonly locate: Locate;
  status(): ConfigStatus;
  /** Reads everything; resolves when the changes are in the store. */
  rescan(): Promise<void>;
  close(): Promise<void>;
}

/** Options of {@linkcode startDirectory}. */
export interface StandaloneDirectoryOptions {
  readonly options: StandaloneOptions;
  readonly store: EmbeddedStore;
  readonly registry: Registry;
  readonly clock: Clock;
  readonly findings: FindingLog;
  readonly log: Logger;
  readonly metrics: Metrics;
}

/** Applies each document once per scan, with no checks and no watching: the directory client of the store takes its place. */
export function startDirectory({ options, store }: StandaloneDirectoryOptions): StandaloneDirectory {
  return {
    locate: () => undefined,
    status: () => ({ dir: options.config, files: 0, objects: 0, skipped: {} }),
    async rescan() {
      for await (const { name } of Deno.readDir(options.config)) {
        const { documents } = parseYaml(await Deno.readTextFile(`${options.config}/${name}`), name);
        for (const { value } of documents) {
          await store.apply(value as ApplyObject, { fieldManager: "directory", force: true }); // the store checks it
        }
      }
    },
    close: () => Promise.resolve(),
  };
}
