import { type Pod, readyAddress, withObserved } from "../../api/virtual_service/mod.ts";
import { canonicalJson, type Finding } from "../../base/mod.ts";
import type { Registry } from "../../envoy/mod.ts";
import { byAge } from "../engine/by_age.ts";
import { keyOf, type ObjectEvent, type WatchedObject } from "../engine/object_source.ts";
import { findEndpoints } from "./endpoints.ts";
import { entriesOf, type MeshEntries } from "./entries.ts";
import { type EqualitySelector, LabelIndex, SelectorIndex } from "./label_index.ts";
import type { Merged } from "./merge.ts";
import { Merges, sameMerged } from "./merges.ts";
import { type MeshUnit, unitOf } from "./unit.ts";

/** A pod, or an Envoy that says of itself what labels it has. */
export interface MeshPod {
  /** `NAMESPACE/NAME`, or what the caller called the Envoy. */
  readonly id: string;
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly uid?: string;
  /** Absent for what is no endpoint. */
  readonly pod?: Pod;
}

/** A VirtualService and what follows from it. */
export interface MeshService {
  /** `NAMESPACE/NAME`. */
  readonly id: string;
  readonly object: WatchedObject;
  /** About what is written in it, and about the endpoints it asks for. */
  readonly findings: readonly Finding[];
  readonly units: readonly MeshUnit[];
  /** Ids of the pods it selects. */
  readonly pods: ReadonlySet<string>;
}

/** What came of the changes since the last time. */
export interface MeshChanges {
  /** What each pod gets now that gets something else than before, by its id. */
  readonly pods: ReadonlyMap<string, Merged>;
  /** VirtualServices of which there may be something else to tell, by id; those that are gone, too. */
  readonly services: ReadonlySet<string>;
}

interface Service extends MeshService {
  readonly read: MeshEntries;
}

/** What no VirtualService comes to. */
const NOTHING: Merged = { kept: [], collisions: [] };

/**
 * VirtualServices and pods, and what each pod gets of them. What comes out depends on what is there alone, and not on how it came
 * about; what does not change is not made again.
 */
export class MeshWorld {
  readonly #registry: Registry;
  readonly #services = new Map<string, Service>();
  readonly #pods = new LabelIndex<MeshPod>();
  readonly #selectors = new SelectorIndex(); // of services, for pods that get something
  readonly #endpoints = new SelectorIndex(); // of services, for pods that are sent to
  readonly #told = new Map<string, { readonly merged: Merged; readonly uid: string | undefined }>(); // by pod
  readonly #merges = new Merges();
  readonly #leaving = new Map<string, WatchedObject>();
  #dirtyServices = new Set<string>();
  #dirtyPods = new Set<string>();

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  /** Takes a change of a VirtualService or of a Pod in. */
  take({ type, object }: ObjectEvent): void {
    const present = type === "deleted" ? undefined : object;
    const { kind, namespace, name } = keyOf(object);
    const id = `${namespace}/${name}`;
    if (kind === "VirtualService") this.#takeService(id, present);
    if (kind === "Pod") this.takePod(id, present && podOf(id, present));
  }

  /** A pod is there, or `undefined`: no longer. */
  takePod(id: string, pod: MeshPod | undefined): void {
    const before = this.#pods.replace(id, pod);
    const moved = !before || !pod || before.uid !== pod.uid || !sameLabels(before, pod);
    const addressed = moved || addressOf(before) !== addressOf(pod);
    if (!addressed) return;
    for (const one of [before, pod]) {
      if (!one) continue;
      if (moved) { for (const service of this.#selectors.ownersOf(one)) this.#dirtyServices.add(service); }
      for (const service of this.#endpoints.ownersOf(one)) this.#dirtyServices.add(service);
    }
    if (moved) this.#dirtyPods.add(id);
  }

  get(id: string): MeshService | undefined {
    return this.#services.get(id);
  }

  /** A VirtualService that is being deleted and still there; it counts as gone. */
  leaving(id: string): WatchedObject | undefined {
    return this.#leaving.get(id);
  }

  /** Those that are being deleted. */
  leavingIds(): Iterable<string> {
    return this.#leaving.keys();
  }

  services(): Iterable<MeshService> {
    return this.#services.values();
  }

  pod(id: string): MeshPod | undefined {
    return this.#pods.get(id);
  }

  /** What a pod gets, as of the last update. */
  mergedOf(id: string): Merged {
    return this.#told.get(id)?.merged ?? NOTHING;
  }

  /** Works all changes in that were taken since the last time. */
  update(): MeshChanges {
    const services = this.#dirtyServices;
    const pods = this.#dirtyPods;
    this.#dirtyServices = new Set();
    this.#dirtyPods = new Set();
    for (const id of services) this.#renew(id, pods);
    const changed = new Map<string, Merged>();
    this.#merges.begin();
    for (const id of pods) {
      const before = this.#told.get(id);
      const pod = this.#pods.get(id);
      const merged = this.#mergedNow(id);
      if (pod) this.#told.set(id, { merged, uid: pod.uid });
      else this.#told.delete(id);
      if (before && pod && before.uid === pod.uid && sameMerged(before.merged, merged)) continue;
      changed.set(id, merged);
      for (const { owner } of [...before?.merged.collisions ?? [], ...merged.collisions]) services.add(owner);
    }
    return { pods: changed, services };
  }

  #takeService(id: string, object: WatchedObject | undefined): void {
    const before = this.#services.get(id);
    if (object?.metadata.deletionTimestamp === undefined) this.#leaving.delete(id);
    else this.#leaving.set(id, object);
    if (!object || this.#leaving.has(id)) {
      this.#services.delete(id);
      this.#selectors.set(id, []);
      this.#endpoints.set(id, []);
      for (const pod of before?.pods ?? []) this.#dirtyPods.add(pod);
      return;
    }
    if (before && sameContent(before.object, object)) {
      this.#services.set(id, { ...before, object });
      return;
    }
    this.#dirtyServices.add(id);
    const read = entriesOf(object, before?.read.entries);
    const { units = [], pods = new Set<string>() } = before ?? {};
    this.#services.set(id, { id, object, read, findings: read.findings, units, pods });
    this.#selectors.set(id, [{ namespace: read.reach, labels: read.selector }]);
    this.#endpoints.set(id, endpointSelectors(read));
    // another age may mean another winner
    if (before?.object.metadata.uid !== object.metadata.uid) { for (const pod of pods) this.#dirtyPods.add(pod); }
  }

  /** Makes the units of a service anew, and notes the pods that get something else for it. */
  #renew(id: string, dirty: Set<string>): void {
    const before = this.#services.get(id);
    if (!before) return;
    const { read } = before;
    const { reach: namespace, selector } = read;
    const findings = [...read.findings];
    const units = read.entries.flatMap((entry) => {
      const select = (labels: Readonly<Record<string, string>>) =>
        this.#pods.select({ namespace, labels }).flatMap(({ pod }) => pod ?? []);
      const found = findEndpoints(entry, select);
      const made = unitOf(entry, found.addresses, this.#registry);
      findings.push(...found.findings, ...made.findings);
      return made.unit ?? [];
    });
    const pods = new Set(this.#pods.select({ namespace, labels: selector }).map((pod) => pod.id));
    const same = sameItems(before.units, units);
    for (const pod of same ? before.pods.symmetricDifference(pods) : before.pods.union(pods)) dirty.add(pod);
    this.#services.set(id, { ...before, findings, units: same ? before.units : units, pods });
  }

  #mergedNow(id: string): Merged {
    const pod = this.#pods.get(id);
    if (!pod) return NOTHING;
    const services = this.#selectors.ownersOf(pod).map((owner) => this.#services.get(owner)!); // they change together
    return this.#merges.of(byAge(services).map(({ id, units }) => ({ owner: id, units })));
  }
}

function podOf(id: string, object: WatchedObject): MeshPod {
  const pod = withObserved(object as unknown as Pod); // as the API server or the directory's check let it in
  const { namespace = "default", labels = {}, uid } = pod.metadata;
  return { id, namespace, labels, ...(uid !== undefined && { uid }), pod };
}

function addressOf({ pod }: MeshPod): string | undefined {
  return pod && readyAddress(pod);
}

function endpointSelectors({ entries, reach: namespace }: MeshEntries): EqualitySelector[] {
  return entries.flatMap(({ cluster }) =>
    cluster.endpoints.flatMap(({ host }) => host?.selector ? [{ namespace, labels: host.selector }] : [])
  );
}

/** Whether all that is written in an object is as it was, by what the store says. */
function sameContent(before: WatchedObject, after: WatchedObject): boolean {
  const [one, other] = [before.metadata, after.metadata];
  return one.generation !== undefined && one.uid === other.uid && one.generation === other.generation &&
    canonicalJson(one.annotations ?? {}) === canonicalJson(other.annotations ?? {});
}

function sameLabels(a: MeshPod, b: MeshPod): boolean {
  return a.labels === b.labels || canonicalJson(a.labels) === canonicalJson(b.labels);
}

function sameItems<T>(a: readonly T[], b: readonly T[]): boolean {
  return a.length === b.length && a.every((item, index) => item === b[index]);
}
