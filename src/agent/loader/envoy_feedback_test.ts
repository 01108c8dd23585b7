import { expect } from "expect";
import { countsOf, errorStatesOf, opinionOf } from "./envoy_feedback.ts";

const BEFORE = `cluster.blue.update_attempt: 1
cluster.blue.update_success: 1
cluster_manager.cds.update_attempt: 1
cluster_manager.cds.update_success: 1
cluster_manager.cds.update_rejected: 0
listener_manager.lds.update_attempt: 2
listener_manager.lds.update_rejected: 1
http.edge.rds.main.update_attempt: 1
http.edge.scoped_rds.all.update_attempt: 4
sds.edge.update_failure: 1
cluster_manager.cds.version: 77
`;

Deno.test("countsOf() sums up by kind", () => {
  expect(Object.fromEntries(countsOf(BEFORE))).toEqual({
    EDS: { attempts: 1, successes: 1, refusals: 0 },
    CDS: { attempts: 1, successes: 1, refusals: 0 },
    LDS: { attempts: 2, successes: 0, refusals: 1 },
    RDS: { attempts: 1, successes: 0, refusals: 0 },
    SRDS: { attempts: 4, successes: 0, refusals: 0 },
    SDS: { attempts: 0, successes: 0, refusals: 1 },
  });
});

Deno.test("L4: opinionOf() tells accepted, refused and silent apart", () => {
  const before = countsOf(BEFORE);
  expect(opinionOf("CDS", before, before)).toBe("silent");
  const accepted = countsOf(BEFORE.replace(/(cds.update_(?:attempt|success)): 1/g, "$1: 2"));
  expect(opinionOf("CDS", before, accepted)).toBe("accepted");
  expect(opinionOf("CDS", before, countsOf(BEFORE.replace("cds.update_rejected: 0", "cds.update_rejected: 1")))).toBe(
    "refused",
  );
  expect(opinionOf("RTDS", before, before)).toBe("silent");
});

Deno.test("L4: errorStatesOf() finds refusals wherever they are, also of what was never in use", () => {
  const dump = {
    configs: [{ dynamic_listeners: [{ name: "old", error_state: { details: "no" } }] }, {
      dynamic_listeners: [{ error_state: { failed_configuration: { name: "new" }, details: "taken" } }],
    }],
  };
  expect(errorStatesOf(dump)).toEqual([{ name: "new", reason: "taken" }, { name: "old", reason: "no" }]);
});
