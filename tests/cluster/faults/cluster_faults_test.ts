import { expect } from "expect";
import { clusterTest } from "../control_plane/mod.ts";
import { clusterFaultRun } from "./cluster_run.ts";
import { CLUSTER_FAULTS } from "./cluster_faults.ts";

/** Each fault once; `deno task faults:cluster` runs many seeds. */
clusterTest(
  "I1–I14, I18, I19: nothing is lost and nothing doubled, whatever breaks around replicas, and with 100 changes at once",
  async () => {
    const { faults } = await clusterFaultRun({ seed: 1, steps: CLUSTER_FAULTS.length, crowd: 100 });
    expect(faults).toEqual([]);
  },
  { timeout: 240_000 },
);
