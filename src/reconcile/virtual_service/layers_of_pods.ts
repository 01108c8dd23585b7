import type { Registry } from "../../envoy/mod.ts";
import type { Hub } from "../../xds/mod.ts";
import { labelledKey, ownStreamKey, podKey, uidKey } from "./client_keys.ts";
import type { EndpointsBy } from "./cluster.ts";
import { PodLayer } from "./layer.ts";
import type { Merged } from "./merge.ts";
import type { MeshPod } from "./world.ts";

/** Options of {@linkcode LayersOfPods}. */
export interface LayersOfPodsOptions {
  readonly hub: Pick<Hub, "setLayer" | "removeLayer">;
  readonly registry: Registry;
  /** What connected Envoys get when their pod is gone. */
  readonly onDelete: "keep" | "empty";
}

/** What a pod is, `undefined` when it is gone, and what it gets. */
interface LayerOfPod {
  readonly pod: MeshPod | undefined;
  readonly merged: Merged;
}

/** Gives pods their layers, under every key by which an Envoy may say that it is the pod's. */
export class LayersOfPods {
  readonly #options: LayersOfPodsOptions;
  readonly #keys = new Map<string, ReadonlySet<string>>(); // by pod
  readonly #made = new WeakMap<Merged, Map<EndpointsBy, PodLayer>>();

  constructor(options: LayersOfPodsOptions) {
    this.#options = options;
  }

  /**
   * From now on a pod gets this. An Envoy whose node id is the UID of a pod, or that says what labels it has, gets an answer even when
   * that is nothing; one that has a node id of its own may wait for an EnvoyConfig, unless it got something before.
   */
  set(id: string, { pod, merged }: LayerOfPod): void {
    const { hub, onDelete } = this.#options;
    const before = this.#keys.get(id) ?? new Set<string>();
    const wanted = new Map<string, EndpointsBy>();
    for (const key of pod ? keysOf(pod, { before, isEmpty: merged.kept.length === 0 }) : []) {
      wanted.set(key, "ads");
      if (merged.kept.some(({ unit }) => unit.eds)) wanted.set(ownStreamKey(key), "own-stream");
    }
    for (const [key, endpointsBy] of wanted) hub.setLayer(key, this.#layer(merged, endpointsBy));
    // A pod that is there without the other way to its endpoints has the usual one.
    for (const key of before) if (!wanted.has(key)) hub.removeLayer(key, pod ? "empty" : onDelete);
    if (wanted.size > 0) this.#keys.set(id, new Set(wanted.keys()));
    else this.#keys.delete(id);
  }

  /** Pods that get the same share one layer, and their Envoys what is made of it. */
  #layer(merged: Merged, endpointsBy: EndpointsBy): PodLayer {
    let made = this.#made.get(merged);
    if (!made) this.#made.set(merged, made = new Map());
    let layer = made.get(endpointsBy);
    if (!layer) made.set(endpointsBy, layer = new PodLayer(merged, { registry: this.#options.registry, endpointsBy }));
    return layer;
  }
}

function keysOf(pod: MeshPod, { before, isEmpty }: { before: ReadonlySet<string>; isEmpty: boolean }): string[] {
  const { id, namespace, uid } = pod;
  if (!pod.pod) return [labelledKey(id.slice(id.indexOf(" ") + 1))];
  const named = podKey(namespace, pod.pod.metadata.name);
  return [...(uid === undefined ? [] : [uidKey(uid)]), ...(isEmpty && !before.has(named) ? [] : [named])];
}
