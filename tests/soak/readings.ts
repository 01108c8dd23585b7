import { residentBytes } from "../bench/proc.ts";
import type { Replica } from "../cluster/discovery_service/replica.ts";
import type { Bound } from "./slope.ts";

const MB = 1 << 20;

/** What is looked at of a replica, and how much each may grow over the time of a soak. */
export const READINGS = {
  "memory, MB": { share: 0.05, least: 15 },
  "heap, MB": { share: 0.05, least: 15 },
  "open files": { share: 0.05, least: 5 },
  "series of metrics": { share: 0.05, least: 10 },
  "watched objects": { share: 0.05, least: 10 },
  "node ids": { share: 0.05, least: 2 },
  "streams": { share: 0.05, least: 2 },
  "work waiting": { share: 0.05, least: 5 },
} as const satisfies Readonly<Record<string, Bound>>;

/** Name of a reading. */
export type ReadingName = keyof typeof READINGS;

/** Reads everything, outside of the process where that is possible. */
export async function readingsOf(replica: Replica): Promise<Readonly<Record<ReadingName, number>>> {
  const { pid } = replica.process;
  const lines = (await replica.metrics()).split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  const sum = (name: string) =>
    lines.filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
      .reduce((total, line) => total + Number(line.slice(line.lastIndexOf(" ") + 1)), 0);
  return {
    "memory, MB": residentBytes(pid) / MB,
    "heap, MB": sum("process_heap_bytes") / MB,
    "open files": [...Deno.readDirSync(`/proc/${pid}/fd`)].length,
    "series of metrics": lines.length,
    "watched objects": sum("chancery_watch_objects"),
    "node ids": sum("chancery_xds_nodes"),
    "streams": sum("chancery_xds_streams"),
    "work waiting": sum("chancery_work_queue_depth"),
  };
}
