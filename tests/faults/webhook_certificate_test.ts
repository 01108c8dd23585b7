import { expect } from "expect";
import { clusterTest } from "./control_plane/mod.ts";
import { discoveryService } from "./webhook/injection_site.ts";
import { Installation } from "./webhook/installation.ts";
import { PodLoad } from "./webhook/pod_load.ts";

const HELD = 'chancery_lease_held{group="certificates"}';

clusterTest(
  "a webhook gets its certificate, and another one while pods are created, and none of them fails",
  async (t) => {
    await using site = await Installation.open();
    await site.cluster.apply([{ ...discoveryService("ds"), metadata: { name: "ds", namespace: site.users } }]);
    const managers = [await site.manager("manager-one", "operator"), await site.manager("manager-two", "cert-manager")];

    await t.step(
      "A8: a dead webhook stops neither the system nor what brings it back, and says who it is",
      async () => {
        for (const namespace of ["kube-system", site.namespace]) {
          expect(await site.createPod("own", namespace)).toEqual(["app"]);
        }
        await expect(site.createPod("users")).rejects.toThrow(
          'failed calling webhook "sidecar-injector.marin3r.3scale.net"',
        );
        expect(await site.createPod("users", site.users, { labels: {} })).toEqual(["app"]);
      },
    );

    await t.step(
      "first there is a Secret, then it is trusted, and once a replica shows it failures are refused",
      async () => {
        await site.edit("mutating", { "/failurePolicy": "Ignore" });
        await Promise.all(managers.map((manager) => manager.start()));
        await site.until("the certificate to be trusted", () => site.isTrusted(1));
        expect((await site.configuration("mutating"))[0]?.failurePolicy).toBe("Ignore");
        await Promise.all(
          site.replicas.map((replica) => replica.start(...site.args("webhook"), "--image", "chancery:1")),
        );
        await site.until("failures to be refused", async () => {
          return (await site.configuration("mutating"))[0]?.failurePolicy === "Fail";
        });
        expect(await site.createPod("users")).toContain("envoy-sidecar");
        expect(await Promise.all(managers.map((manager) => manager.metric(HELD)))).toEqual(
          expect.arrayContaining([0, 1]),
        );
      },
    );

    await t.step("what somebody does to caBundle is undone", async () => {
      await site.edit("validating", { "/clientConfig/caBundle": "" });
      await site.until("the certificate to be trusted again", () => site.isTrusted(1));
    });

    await t.step(
      "the certificate is changed twice while pods are created, once by two managers of which one dies",
      async () => {
        await using load = new PodLoad(site);
        await load.more(10);
        const first = await site.rotate();
        await site.until("the second certificate to be shown", () => site.isShownInsteadOf(first));
        await load.more(10);
        const second = await site.rotate();
        await site.until("the third certificate to be made", async () => await site.secret("-next") !== undefined);
        const held = await Promise.all(managers.map((manager) => manager.metric(HELD)));
        const leader = managers[held.indexOf(1)]!; // one of them leads
        await leader.kill();
        await leader.start({ wait: false });
        await site.until("the third certificate to be shown", () => site.isShownInsteadOf(second));
        await site.until("nothing to be left of the change", async () => await site.secret("-next") === undefined);
        await load.more(10);
        await load.end();
        expect(load.failures).toEqual([]);
        expect(load.handshakes).toBeGreaterThan(50);
        expect(await site.isTrusted(3)).toBe(true); // the earlier ones for two more minutes
      },
    );
  },
);
