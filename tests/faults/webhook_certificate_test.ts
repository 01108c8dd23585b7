import { expect } from "expect";
import { createAuthority } from "../certificates.ts";
import { clusterTest } from "../cluster/control_plane/mod.ts";
import { discoveryService } from "../cluster/webhook/injection_site.ts";
import { Installation } from "../cluster/webhook/installation.ts";
import { PodLoad } from "../cluster/webhook/pod_load.ts";

const DAY_MS = 86_400_000;
const HELD = 'chancery_lease_held{group="certificates"}';

clusterTest(
  "a webhook gets its certificate, and others while pods are created, whatever becomes of what is there, and none of them fails",
  async (t) => {
    await using site = await Installation.open();
    await site.cluster.apply([{ ...discoveryService("ds"), metadata: { name: "ds", namespace: site.users } }]);
    // Longer than a replica gets its Secret late here.
    const soon = ["--webhook-retire-delay", "5s"];
    const managers = [
      await site.manager("manager-one", "operator", soon),
      await site.manager("manager-two", "cert-manager", soon),
    ];
    const start = () => Promise.all(managers.map((manager) => manager.start()));
    const stop = () => Promise.all(managers.map((manager) => manager.stop()));

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
        await start();
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

    const stranger = await createAuthority();

    await t.step("what somebody does to caBundle is undone", async () => {
      await site.edit("validating", { "/clientConfig/caBundle": "" });
      await site.edit("mutating", { "/clientConfig/caBundle": btoa(stranger.cert) });
      await site.until("the certificate to be trusted again", () => site.isTrusted(1));
      await site.until("pods to be let in again", () => site.letsIn());
    });

    await t.step("a certificate of a clock that was ahead, which nobody takes, is changed at once", async () => {
      await stop();
      const ahead = await site.putIssuedAt(Date.now() + DAY_MS);
      await site.until("the certificate to be refused", async () => !await site.letsIn());
      await start();
      await site.until("another certificate to be shown", () => site.isShownInsteadOf(ahead));
      await site.until("pods to be let in again", () => site.letsIn());
    });

    await t.step("nothing that is done to a certificate keeps a pod from being created", async () => {
      await stop();
      const old = await site.putIssuedAt(Date.now() - 350 * DAY_MS);
      await site.until("a certificate to be shown that ends in two weeks", async () => await site.shown() === old);
      await site.until("pods to be let in", () => site.letsIn());
      await using load = new PodLoad(site);
      await load.more(10);
      await start();
      await site.until("another certificate to be shown", () => site.isShownInsteadOf(old));

      const [webhook] = await site.configuration("mutating");
      const more = btoa(atob(webhook!.clientConfig.caBundle!) + stranger.cert);
      await site.edit("mutating", { "/clientConfig/caBundle": more });
      await site.until("nobody else to be trusted", async () => {
        return !JSON.stringify(await site.configuration("mutating")).includes(more);
      });

      const asked = await site.rotate();
      await site.until("the next certificate to be made", async () => await site.secret("-next") !== undefined);
      const held = await Promise.all(managers.map((manager) => manager.metric(HELD)));
      const leader = managers[held.indexOf(1)]!; // one of them leads
      await leader.kill();
      await leader.start({ wait: false });
      await site.until("the next certificate to be shown", () => site.isShownInsteadOf(asked));
      await site.until("nothing to be left of the change", async () => await site.secret("-next") === undefined);

      const lost = await site.loseSecret();
      await site.until("one instead of what was lost to be shown", () => site.isShownInsteadOf(lost));

      await Promise.all(managers.map((manager) => manager.kill()));
      const lostMeanwhile = await site.loseSecret();
      await load.more(10);
      await Promise.all(managers.map((manager) => manager.start({ wait: false })));
      await site.until("one instead of what was lost to be shown", () => site.isShownInsteadOf(lostMeanwhile));

      await site.until("only the last one to be trusted", () => site.isTrusted(1));
      await load.more(10);
      await load.end();
      expect(load.failures).toEqual([]);
      expect(load.handshakes).toBeGreaterThan(50);
    });
  },
);
