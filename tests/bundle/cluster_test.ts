import { expect } from "expect";
import { clusterTest } from "../cluster/control_plane/mod.ts";
import { askedMetrics, toldMetrics } from "./asked_metrics.ts";
import { EmptyPlace } from "./empty_place.ts";
import { IN_CLUSTER, Installation } from "./in_cluster.ts";

clusterTest("the bundle runs alone as every role of a cluster, from its installation to its removal", async (t) => {
  await using place = await EmptyPlace.make();
  await using site = await Installation.open(place);
  const { uninstall, ...others } = IN_CLUSTER;
  for (const [name, run] of Object.entries(others)) await t.step(name, () => run(site));
  await t.step("alerts and dashboard ask for what these roles and an Envoy tell", async () => {
    let missing: string[] = [];
    await site.until("everything that is asked for to be told", async () => {
      const told = toldMetrics(await site.metrics());
      missing = askedMetrics().filter((name) => !told.has(name));
      return missing.length === 0;
    }).catch((error) => {
      throw new Error(`Nobody tells ${missing.join(", ")}`, { cause: error });
    });
  });
  await t.step("uninstall", () => uninstall!(site));
  await t.step("the roles end when they are told to, and nothing was fetched", async () => {
    await site.stop();
    expect(place.leftovers()).toEqual([]);
  });
});
