import { systemClock, wait } from "../../base/mod.ts";
import { type KubeObject, objectTitle, type Removal } from "../../install/mod.ts";
import { connect } from "../../store/kubernetes/mod.ts";
import { ClusterObjects } from "./cluster_objects.ts";
import { type ClusterHost, InstallTimeout } from "./install.ts";

/** Between two looks at what is to be gone. */
const LOOK_MS = 500;

/**
 * Removes what is to go and is there, in order, and waits until it is gone. May be repeated at any time.
 * @throws {ChanceryError} that says which right is missing; {@linkcode InstallTimeout}
 */
export async function uninstall(
  removalFor: (operator: KubeObject | undefined) => Removal,
  host: ClusterHost,
  { operator, timeoutMs }: { operator: KubeObject; timeoutMs: number },
): Promise<void> {
  await using connection = await connect({ ...host, clock: systemClock });
  const cluster = new ClusterObjects(connection);
  const { removed, kept } = removalFor(await cluster.get(operator));
  const until = systemClock.monotonic() + timeoutMs;
  const going: KubeObject[] = [];
  for (const object of removed) {
    if (!await cluster.remove(object)) continue;
    going.push(object);
    host.tell(`${objectTitle(object)} deleted`);
  }
  for (const object of going) {
    while (await cluster.get(object)) {
      if (systemClock.monotonic() > until) {
        throw new InstallTimeout(`Cannot wait any longer (--timeout): ${objectTitle(object)} is still there`);
      }
      await wait(LOOK_MS, { clock: systemClock, signals: [] });
    }
  }
  for (const object of kept) if (await cluster.get(object)) host.tell(`${objectTitle(object)} kept`);
}
