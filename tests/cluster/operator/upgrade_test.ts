import { expect } from "expect";
import { CLI } from "../../program.ts";
import { eventually, Load, type LoadReport } from "../../envoy/harness/mod.ts";
import { RULES } from "../discovery_service/site.ts";
import { programImage } from "../node/mod.ts";
import { isReady, type PodObject, type Scene, sceneTest } from "../node/scene.ts";
import { ConfigChanges, PORT } from "./config_changes.ts";
import { openGround } from "./ground.ts";
import { leftDiscoveryService, leftEnvoyDeployment } from "./older_program.ts";
import { IMAGES, podsOf, QUICK, readyPods } from "./pods.ts";

const DEPLOYMENT = "apps/v1/deployments/marin3r-ds";
const LOOK_MS = 50;

/**
 * What the pods of a component run, seen again and again: images, and how many of them stay that have become ready (and need not answer
 * each probe in time, on a machine that has other work).
 */
class Seen implements AsyncDisposable {
  readonly images = new Set<string>();
  fewest = Infinity;
  readonly #ready = new Set<string>();
  readonly #running: Promise<void>;
  #ended = false;

  constructor(scene: Scene, component: string) {
    this.#running = this.#run(scene, component);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ended = true;
    await this.#running;
  }

  async #run(scene: Scene, component: string): Promise<void> {
    while (!this.#ended) {
      const pods = await podsOf(scene, component);
      const images = pods.flatMap(({ spec }) => (spec as { containers: { image: string }[] }).containers);
      this.images.add([...new Set(images.map(({ image }) => image))].sort().join(" beside "));
      for (const pod of pods.filter(isReady)) this.#ready.add(pod.metadata.name);
      const stay = pods.filter((pod) => !isEnding(pod) && this.#ready.has(pod.metadata.name));
      this.fewest = Math.min(this.fewest, stay.length);
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
  }
}

function isEnding({ metadata }: PodObject): boolean {
  return "deletionTimestamp" in metadata;
}

/** Sends requests to a pod until it is told to end, or to stop. */
async function serveAsLongAsItLives(scene: Scene, { metadata, status }: PodObject): Promise<LoadReport> {
  const load = new Load({ target: { hostname: status.podIP!, port: PORT }, keepAlive: 1, fresh: 1 });
  for (;;) {
    const pod = await scene.pod(metadata.name).catch(() => undefined);
    if (!pod || isEnding(pod)) return await load.stop();
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

sceneTest(
  "A1: what MARIN3R left is taken over while its Envoys serve; pods of both never run side by side, and later ones never lack",
  async (scene) => {
    const { cluster, namespace } = scene;
    await using ground = await openGround({ cluster, namespace });
    await using changes = new ConfigChanges(scene);
    await changes.make();
    const { certificates: [ca] } = await leftDiscoveryService(ground, RULES);
    await leftEnvoyDeployment(ground, "front", {
      spec: {
        ...{ replicas: { static: 2 }, shutdownManager: {}, readinessProbe: { ...QUICK, timeoutSeconds: 5 } },
        ports: [{ name: "http", port: PORT }],
      },
      ...{ replicas: 2, ca },
    });
    await readyPods(scene, "discovery-service", 1);
    const before = await readyPods(scene, "envoy-deployment", 2);
    const older = before.map((pod) => serveAsLongAsItLives(scene, pod));
    changes.start();

    const operator = ground.operator("operator-1");
    {
      await using services = new Seen(scene, "discovery-service");
      await using envoys = new Seen(scene, "envoy-deployment");
      await operator.start();
      await ground.reason("discoveryservices/ds", "Ready", "AllReplicasReady", 120_000);
      const reports = await Promise.all(older);
      await ground.until(
        DEPLOYMENT,
        "rolling from now on",
        ({ spec }) => (spec?.["strategy"] as { type: string }).type === "RollingUpdate",
        60_000,
      );
      expect(reports.map(({ failed, failures }) => [failed, failures])).toEqual([[0, []], [0, []]]);
      expect(Math.min(...reports.map(({ requests }) => requests))).toBeGreaterThan(100);
      // Pods of both would write each other's revisions.
      expect([...services.images].filter((images) => images.includes("beside"))).toEqual([]);
      expect(services.images).toContain("example.com/marin3r:old");
      expect(envoys.fewest).toBeGreaterThanOrEqual(2);
    }
    const after = await readyPods(scene, "envoy-deployment", 2);
    const names = (pods: readonly PodObject[]) => pods.map(({ metadata }) => metadata.name);
    expect(names(after).filter((name) => names(before).includes(name))).toEqual([]);

    // From now on one pod after the other is replaced.
    const later = after.map(({ status }) =>
      new Load({ target: { hostname: status.podIP!, port: PORT }, keepAlive: 1 })
    );
    const first = names(await readyPods(scene, "discovery-service", 2));
    {
      await using services = new Seen(scene, "discovery-service");
      await ground.patch("discoveryservices/ds", { spec: { debug: true } });
      await eventually(
        async () => names(await podsOf(scene, "discovery-service")).every((one) => !first.includes(one)),
        {
          ...{ what: "all pods to be replaced", deadlineMs: 120_000 },
        },
      );
      await readyPods(scene, "discovery-service", 2);
      expect(services.fewest).toBeGreaterThanOrEqual(2);
    }
    await changes.stop();
    await eventually(async () => {
      const bodies = await Promise.all(
        after.map(async ({ status }) => await (await fetch(`http://${status.podIP}:${PORT}/`)).text()),
      );
      return bodies.every((body) => body === changes.text);
    }, { what: `all Envoys to answer "${changes.text}"`, deadlineMs: 60_000 });
    const reports = await Promise.all(later.map((load) => load.stop()));
    expect(reports.map(({ failed, failures }) => [failed, failures])).toEqual([[0, []], [0, []]]);
    await operator.stop();
  },
  { images: { ...IMAGES, "example.com/marin3r": programImage(CLI, { user: 65532 }) } },
);
