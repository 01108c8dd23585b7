import { CLI } from "../../program.ts";
import { eventually } from "../../envoy/harness/mod.ts";
import { type Images, machineProgram, programImage } from "../node/mod.ts";
import { isReady, type PodObject, type Scene } from "../node/scene.ts";

const READY_MS = 90_000;

/** What the pods of an operator run. */
export const IMAGES: Images = {
  "chancery": programImage(CLI, { user: 65532 }),
  "envoyproxy/envoy": await machineProgram("envoy"),
};

/** Numbers of a probe that does not keep a test waiting. */
export const QUICK = {
  ...{ initialDelaySeconds: 0, timeoutSeconds: 1, periodSeconds: 1, successThreshold: 1, failureThreshold: 3 },
};

/** The pods of all DiscoveryServices (`discovery-service`) or EnvoyDeployments (`envoy-deployment`). */
export async function podsOf(scene: Scene, component: string): Promise<PodObject[]> {
  const selector = encodeURIComponent(`app.kubernetes.io/component=${component}`);
  return (await scene.get<{ items: PodObject[] }>(`pods?labelSelector=${selector}`)).items;
}

/** Waits until there are so many, and all of them are ready. */
export async function readyPods(scene: Scene, component: string, count: number): Promise<PodObject[]> {
  let last: PodObject[] = [];
  return await eventually(async () => {
    last = await podsOf(scene, component);
    return last.length === count && last.every(isReady) && last;
  }, {
    what: `${count} ready pods of ${component}`,
    deadlineMs: READY_MS,
    explain: async () =>
      (await Promise.all(
        last.map(async ({ metadata, status }) =>
          `${JSON.stringify(status, null, 1)}\n${await scene.logs(metadata.name).catch(String)}`
        ),
      )).join("\n"),
  });
}

/** Which pods there are, and how often their containers were started anew. */
export function livesOf(pods: readonly PodObject[]): readonly unknown[] {
  return pods.map((
    { metadata, status },
  ) => [
    metadata.name,
    ...(status.containerStatuses ?? []).map(({ name, restartCount }) => `${name}: ${restartCount}`),
  ]);
}
