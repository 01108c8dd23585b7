import { expect } from "expect";
import { replicaName } from "./replica_name.ts";

Deno.test("replicaName() prefers what was asked for to the pod's name and that to the machine's", () => {
  expect(replicaName({ asked: "a", pod: "b", host: "c" })).toBe("a");
  expect(replicaName({ asked: undefined, pod: "xds-7f9c-x2z", host: "c" })).toBe("xds-7f9c-x2z");
  expect(replicaName({ asked: undefined, pod: "", host: "c" })).toBe("c");
});

Deno.test("replicaName() refuses what no object can be called, and makes a machine's name fit", () => {
  for (const asked of ["", "Edge", "a_b", "-a", "a/b", "x".repeat(101)]) {
    expect(() => replicaName({ asked, pod: "b", host: "c" })).toThrow(
      `Cannot use replica name ${JSON.stringify(asked)}`,
    );
  }
  expect(replicaName({ asked: undefined, pod: undefined, host: "Ann_s Laptop.local." })).toBe("ann-s-laptop.local");
  expect(replicaName({ asked: undefined, pod: undefined, host: "___" })).toBe("replica");
});
