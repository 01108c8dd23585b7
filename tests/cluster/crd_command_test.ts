import { expect } from "expect";
import { runCaptured } from "../../src/cli/fake_terminal.ts";
import { clusterTest, sharedControlPlane } from "./control_plane/mod.ts";

clusterTest("chancery crd | kubectl apply --server-side -f - is taken by a real API server", async () => {
  const cluster = await sharedControlPlane();
  const apply = ["apply", "--server-side", "--force-conflicts", "--dry-run=server", "-f", "-"];
  const names = (await runCaptured(["crd", "-o", "name"])).out.trim().split("\n");
  for (const form of ["yaml", "json"]) {
    const { out } = await runCaptured(["crd", "-o", form]);
    const { code, stdout, stderr } = await cluster.kubectl(apply, { stdin: out });
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout.match(/serverside-applied/g)).toHaveLength(names.length);
  }
});
