import { systemClock } from "../../src/base/mod.ts";
import { revisionVersion } from "../../src/snapshot/mod.ts";
import type { ResourceItem } from "../../src/api/mod.ts";
import { openLocalStore } from "../../src/store/local/mod.ts";
import type { StoredObject } from "../../src/store/mod.ts";
import type { Fields } from "../envoy/harness/mod.ts";
import type { StoredConfig, StoredRevision } from "./journal.ts";

const FILES = ["chancery.db", "chancery.db-wal"];

/** Reads the database that a process left behind, from a copy: what the next process finds stays as it is. */
export async function readStore(data: string): Promise<{ configs: StoredConfig[]; revisions: StoredRevision[] }> {
  const copy = await Deno.makeTempDir({ prefix: "chancery-copy-" });
  try {
    for (const name of FILES) {
      await Deno.copyFile(`${data}/${name}`, `${copy}/${name}`).catch((error) => {
        if (!(error instanceof Deno.errors.NotFound)) throw error;
      });
    }
    const store = openLocalStore({ directory: copy, clock: systemClock });
    const configs = (await store.list("EnvoyConfig")).items.map(configOf);
    const revisions = (await store.list("EnvoyConfigRevision")).items.map(revisionOf);
    await store.close();
    return { configs, revisions };
  } finally {
    await Deno.remove(copy, { recursive: true });
  }
}

/** What the checks go by of an EnvoyConfig. */
export function configOf({ metadata, spec, status }: StoredObject): StoredConfig {
  const { nodeID, resources } = spec as { nodeID: string; resources: readonly ResourceItem[] }; // as the harness wrote it
  const told = (status ?? {}) as Fields; // an object where there is one
  const text = (key: string) => typeof told[key] === "string" ? told[key] : undefined;
  const [desired, published, publication, acknowledged] = [
    text("desiredVersion"),
    text("publishedVersion"),
    text("publication"),
    text("acknowledgedVersion"),
  ];
  return {
    node: nodeID,
    uid: metadata.uid,
    generation: metadata.generation,
    version: revisionVersion(nodeID, resources),
    ...(desired !== undefined && { desired }),
    ...(published !== undefined && { published }),
    ...(publication !== undefined && { publication }),
    ...(acknowledged !== undefined && { acknowledged }),
    rollbackCount: Number(told["rollbackCount"] ?? 0),
  };
}

/** The same of a revision. */
export function revisionOf({ metadata, spec, status }: StoredObject): StoredRevision {
  const { nodeID, version } = spec as { nodeID: string; version: string }; // required by its schema
  const told = (status ?? {}) as Fields; // an object where there is one
  const conditions = (told["conditions"] ?? []) as { type: string; status: string; reason: string }[]; // as stored
  const taint = conditions.find(({ type, status }) => type === "RevisionTainted" && status === "True");
  return {
    node: nodeID,
    name: metadata.name,
    version,
    owner: metadata.ownerReferences?.[0]?.uid ?? "",
    published: told["published"] === true,
    tainted: taint !== undefined || told["tainted"] === true,
    ...(taint && { reason: taint.reason }),
  };
}
