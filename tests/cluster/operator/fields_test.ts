import { expect } from "expect";
import { DISCOVERY_SERVICE, ENVOY_DEPLOYMENT } from "../../../src/api/operator/mod.ts";
import { stringifyYaml } from "../../../src/base/yaml/mod.ts";
import { eventually } from "../../envoy/harness/mod.ts";
import { clusterTest, startControlPlane } from "../control_plane/mod.ts";
import { HANDS, Workshop } from "./fields/by_hand.ts";
import { type Crowd, type Effects, later, openCrowd } from "./fields/crowd.ts";
import { DISCOVERY_SERVICE_CASES } from "./fields/discovery_service.ts";
import { ENVOY_DEPLOYMENT_CASES } from "./fields/envoy_deployment.ts";
import { fieldsOf } from "./fields/fields_of.ts";
import { differences } from "./fields/owned_view.ts";
import { COLLECTED_MS } from "./ground.ts";

const KINDS = ["DiscoveryService", "EnvoyDeployment"] as const;
const EFFECTS_MS = 60_000;
/** So many more DiscoveryServices, and so long without a write while everything is looked at again and again. */
const EXTRA = Number(Deno.env.get("OPERATOR_EXTRA") ?? 0);
const QUIET_MS = Number(Deno.env.get("OPERATOR_QUIET_S") ?? 4) * 1_000;
const UPDATE = Deno.env.get("UPDATE_GOLDEN") === "1";

Deno.test("every field of DiscoveryService and EnvoyDeployment has a case", () => {
  const lacking = (kind: { spec: object }, table: object) =>
    fieldsOf(kind.spec).filter((field) => !Object.hasOwn(table, field));
  expect(lacking(DISCOVERY_SERVICE, DISCOVERY_SERVICE_CASES)).toEqual([]);
  expect(lacking(ENVOY_DEPLOYMENT, ENVOY_DEPLOYMENT_CASES)).toEqual([]);
});

/** Waits until effects are those of a file, or writes it. */
async function isTold(crowd: Crowd, name: string, read: () => Promise<Effects>): Promise<void> {
  const file = new URL(`fields/testdata/${name}.yaml`, import.meta.url);
  if (UPDATE) {
    await read();
    await crowd.quiet();
    await Deno.writeTextFile(file, stringifyYaml(await read()));
  }
  const wanted = await Deno.readTextFile(file);
  let effects = "";
  await eventually(async () => {
    effects = stringifyYaml(await read());
    return effects === wanted || await later();
  }, { what: name, deadlineMs: EFFECTS_MS }).catch(() => {}); // the difference says more
  expect(effects).toBe(wanted);
}

clusterTest(
  "C1, C2, C3, C7, O4: each field of DiscoveryService and EnvoyDeployment is followed, there and back; else nothing is written",
  async (t) => {
    await using cluster = await startControlPlane({ audit: true });
    await using crowd = await openCrowd(cluster, { extra: EXTRA });
    await crowd.populate();
    await crowd.operator.start();
    await crowd.settled("before");

    await t.step(
      "C18, I19: full looks at everything write nothing, nor does an operator that starts anew",
      async () => {
        const count = await crowd.quiet(QUIET_MS);
        await crowd.operator.stop();
        await crowd.operator.start();
        await crowd.quiet();
        expect(await crowd.writesAfter(count)).toEqual([]);
        const of = KINDS.map((kind) => `${crowd.count(kind)} ${kind}s`);
        console.log(
          `${of.join(", ")}: ${count} writes, then none for ${
            QUIET_MS / 1_000
          } s, and none by an operator that starts anew`,
        );
      },
    );

    const before = await Promise.all(KINDS.map((kind) => crowd.views(kind)));
    await crowd.apply("after");
    await crowd.settled("after");
    for (const [at, kind] of KINDS.entries()) {
      await t.step(`what follows from each field of ${kind}`, async () => {
        await isTold(crowd, kind, () => crowd.effects(kind, before[at]!));
      });
    }

    await crowd.apply("before");
    await crowd.settled("before");
    await crowd.removeLeftovers();
    for (const [at, kind] of KINDS.entries()) {
      await t.step(`${kind}: as before`, async () => {
        await isTold(crowd, `${kind}_afterwards`, async () => {
          await crowd.actKubelet();
          const effects = Object.entries(await crowd.effects(kind, before[at]!));
          return Object.fromEntries(effects.filter(([, changed]) => Object.keys(changed).length > 0));
        });
      });
    }

    const workshop = new Workshop(cluster);
    for (const [what, act] of Object.entries(HANDS)) {
      await t.step(`C8, C9, C19: what ${what} by hand comes back, of all kinds`, async () => {
        const [objects, wanted] = [await workshop.objects(), await workshop.shown()];
        for (const object of objects) await act(workshop, object);
        let changed: object = {};
        await eventually(async () => {
          changed = differences(wanted, await workshop.shown());
          return Object.keys(changed).length === 0 || await later();
        }, { what: "all to be as before", deadlineMs: COLLECTED_MS }).catch(() => {}); // as above
        expect(changed).toEqual({});
      });
    }
    await crowd.operator.stop();
  },
);
