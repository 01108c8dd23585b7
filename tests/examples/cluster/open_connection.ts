import { expect } from "expect";
import type { Example, ExamplePod } from "./example.ts";

/** The container that waits for connections to end. */
const SHUTDOWN_MANAGER = "envoy-shtdn-mgr";

/**
 * Holds a connection to a port of a pod open, while `letGo` asks for the pod's end; the pod has to stay for as long as
 * that, and to go soon after. `during` is what has to hold meanwhile.
 */
export async function holdOpen(
  example: Example,
  pod: ExamplePod,
  { port, letGo, during }: { port: number; letGo: () => Promise<unknown>; during: () => Promise<void> },
): Promise<void> {
  const { name, uid } = pod.metadata;
  const now = async () => {
    const found = await example.scene.get<ExamplePod>(`pods/${name}`);
    expect(found.metadata.uid).toBe(uid);
    return found;
  };
  using connection = await Deno.connect({ hostname: pod.status.podIP!, port });
  await letGo();
  await example.until("the pod to be told to end", async () => (await now()).metadata.deletionTimestamp !== undefined);
  const log = () => example.scene.logs(name, SHUTDOWN_MANAGER);
  await example.until(
    "the one connection to be waited for",
    async () => /Waiting for connections to end.*"connections":1\b/.test(await log()),
    log,
  );
  await example.until(
    "Envoy to be no longer ready",
    async () => (await now()).status.containerStatuses?.some(({ ready }) => !ready) ?? false,
  );
  await during();
  const { containerStatuses } = (await now()).status;
  expect(containerStatuses?.map(({ name, state }) => [name, state.running !== undefined])).toEqual(
    pod.spec.containers.map(({ name }) => [name, true]),
  );
  connection.close();
  await example.gone(pod);
  expect(await log()).toContain("Envoy has drained");
}
