import { expect } from "expect";
import { installOptions, rulesOf, WEBHOOK_RIGHTS } from "../../src/install/mod.ts";
import { httpGet } from "../envoy/harness/mod.ts";
import { clusterTest, type PolicyRule, sharedControlPlane } from "./control_plane/mod.ts";
import { Caller, HOSTILE_BODIES, review } from "./webhook/hostile.ts";
import { discoveryService } from "./webhook/injection_site.ts";
import { WebhookProcess } from "./webhook/webhook_process.ts";

/** The limit of memory that a webhook is installed with. */
const { limits } = installOptions().webhook.resources as { limits: { memory: string } }; // its default
const LIMIT_BYTES = Number.parseInt(limits.memory, 10) * 1024 * 1024;
const IDLE = 2_200;

clusterTest(
  "a webhook answers 1,000 at once, and goes on answering whatever strangers send, within its memory",
  async (t) => {
    const cluster = await sharedControlPlane();
    await cluster.applyCrds();
    const namespace = await cluster.namespace("hostile");
    await cluster.apply([{ ...discoveryService("ds"), metadata: { name: "ds", namespace } }]);
    const rules = rulesOf(WEBHOOK_RIGHTS.watched) as unknown as PolicyRule[]; // as Kubernetes has them
    const kubeconfig = await cluster.serviceAccount(namespace, "webhook", rules);
    await using webhook = await WebhookProcess.make({ kubeconfig, namespace });
    await webhook.start("--image", "example.com/chancery:test", "--log-level", "info");
    using caller = new Caller({ port: webhook.port, ca: webhook.authority.cert });

    const isInjected = async (uid = "one") => {
      const { status, text } = await caller.post(review(namespace, { uid }));
      if (status !== 200) return `${status} ${text}`;
      const { response } = JSON.parse(text);
      return response.uid === uid && atob(response.patch).includes("envoy-sidecar") ? "injected" : text;
    };
    const resident = async () => {
      const { body } = await httpGet({ port: webhook.metricsPort }, "/metrics", { host: "127.0.0.1" });
      return Number(/^process_resident_memory_bytes (\S+)/m.exec(body)?.[1]);
    };

    await t.step("1,000 reviews at once", async () => {
      const answers = await Promise.all(Array.from({ length: 1_000 }, (_, at) => isInjected(`review-${at}`)));
      expect(new Set(answers)).toEqual(new Set(["injected"]));
    });

    await t.step("bodies that are none", async () => {
      for (const [name, body, said] of HOSTILE_BODIES) {
        const { status, text } = await caller.post(body() as BodyInit);
        // Who sends too much may be cut off before it reads why.
        const answered = status === 0 ? "too much" : name;
        expect([name, status === 0 ? said : text]).toEqual([answered, expect.stringContaining(said)]);
      }
      expect(await webhook.reviews('result="failed"', 'reason="unreadable"')).toBe(9);
      expect(await webhook.reviews('result="failed"', 'reason="too-large"')).toBe(1);
    });

    await t.step("more large bodies than it can hold", async () => {
      const large = review(namespace, { more: 6_900_000 });
      const answers = await Promise.all(Array.from({ length: 30 }, () => caller.post(large)));
      const known = new Set([200, 503, 504, 0]);
      expect(answers.map(({ status }) => status).filter((status) => !known.has(status))).toEqual([]);
      expect(await isInjected()).toBe("injected");
    });

    await t.step("connections that are slow, half closed, or silent", async () => {
      const head = `POST /pod-v1-mutate HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n`;
      const starts = [head, `${head}content-length: 5000\r\n\r\n{"kind":`, "\x00\xff nonsense\r\n\r\n", head];
      const open: Deno.TlsConn[] = [];
      try {
        for (let at = 0; at < 100; at++) {
          const connection = await caller.open(starts[at % starts.length]);
          open.push(connection);
          if (at % starts.length === 3) await connection.closeWrite().catch(() => {});
        }
        expect(await isInjected()).toBe("injected");
        for (let batch = 0; batch < IDLE / 100; batch++) {
          open.push(...await Promise.all(Array.from({ length: 100 }, () => caller.open())));
        }
        expect(await isInjected()).toBe("injected");
      } finally {
        for (const connection of open) close(connection);
      }
    });

    expect(await resident()).toBeLessThan(LIMIT_BYTES);
    expect(await isInjected()).toBe("injected");
    expect(webhook.process.ended).toBeUndefined();
    expect(await webhook.reviews('reason="internal"')).toBe(0);
  },
);

function close(connection: Deno.Conn): void {
  try {
    connection.close();
  } catch {
    // closed by the other side
  }
}
