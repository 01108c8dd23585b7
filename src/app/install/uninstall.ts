import { systemClock, wait } from "../../base/mod.ts";
import { foreignObjects, type KubeObject, objectTitle, type Removal, tellsWhose } from "../../install/mod.ts";
import { connect } from "../../store/kubernetes/mod.ts";
import { ClusterObjects } from "./cluster_objects.ts";
import { heldText, objectsOfKind, releaseObjects } from "./crd_objects.ts";
import { type ClusterHost, InstallTimeout } from "./install.ts";

/** Between two looks at what is to be gone. */
const LOOK_MS = 500;

/**
 * Removes what is to go and is there, in order, and waits until it is gone. What belongs to another installation, or was there before,
 * stays and is told. May be repeated at any time.
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
  const foreign = foreignObjects(removed, await there(removed.filter(tellsWhose), cluster));
  const until = systemClock.monotonic() + timeoutMs;
  const going: KubeObject[] = [];
  for (const object of removed) {
    if (foreign.has(objectTitle(object))) continue;
    const objects = await objectsOfKind(object, cluster) ?? [];
    if (!await cluster.remove(object)) continue;
    going.push(object);
    const more = objects.length === 0 ? "" : ` with ${objects.length} object${objects.length === 1 ? "" : "s"}`;
    host.tell(`${objectTitle(object)} deleted${more}`);
  }
  for (const object of going) await gone(object, { cluster, until });
  for (const object of removed) {
    const why = foreign.get(objectTitle(object));
    if (why !== undefined && await cluster.get(object)) host.tell(`${objectTitle(object)} kept: ${why}`);
  }
  for (const object of kept) if (await cluster.get(object)) host.tell(`${objectTitle(object)} kept`);
}

/** Those of the objects that are there, by title, as they are. */
async function there(
  objects: readonly KubeObject[],
  cluster: ClusterObjects,
): Promise<ReadonlyMap<string, KubeObject>> {
  const found = new Map<string, KubeObject>();
  for (const object of objects) {
    const live = await cluster.get(object);
    if (live) found.set(objectTitle(object), { ...live, apiVersion: object.apiVersion, kind: object.kind });
  }
  return found;
}

/** Waits until an object is not there any more; of a kind all objects go before it. */
async function gone(
  object: KubeObject,
  { cluster, until }: { cluster: ClusterObjects; until: number },
): Promise<void> {
  while (await cluster.get(object)) {
    const held = await releaseObjects(object, cluster);
    if (systemClock.monotonic() > until) {
      throw new InstallTimeout(
        `Cannot wait any longer (--timeout): ${objectTitle(object)} is still there${heldText(held)}`,
      );
    }
    await wait(LOOK_MS, { clock: systemClock, signals: [] });
  }
}
