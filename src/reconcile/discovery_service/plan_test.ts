import { testCases } from "../../../tests/golden/cases.ts";
import { type DiscoveryService, OPERATOR_API_VERSION } from "../../api/operator/mod.ts";
import { formatKey } from "../../base/mod.ts";
import { alternativeNames } from "../../pki/mod.ts";
import { keyOf, type WatchedObject } from "../engine/object_source.ts";
import { planDiscoveryService } from "./plan.ts";

/** A case, with as little said as needed. */
interface Case {
  readonly now?: string;
  readonly object: Partial<DiscoveryService>;
  readonly siblings?: readonly Partial<DiscoveryService>[];
  /** What is there; `owner: us` stands for the owner reference. */
  readonly owned?: readonly (Record<string, unknown> & { readonly owner?: string })[];
  /** Names in the server certificate. */
  readonly serverNames?: readonly string[];
  readonly bundle?: boolean;
  readonly nodeIds?: readonly string[];
  /** URIs of client certificates by name. */
  readonly clients?: Readonly<Record<string, readonly string[]>>;
  /** Kinds that are shown in full; of the others only what there is. */
  readonly show?: readonly string[];
}

testCases(new URL("./testdata", import.meta.url), {
  name: "planDiscoveryService()",
  run(input) {
    const given = input as unknown as Case; // our own files
    const object = serviceOf(given.object);
    const plan = planDiscoveryService({
      now: Date.parse(given.now ?? "2026-01-02T00:00:00Z"),
      object,
      siblings: (given.siblings ?? []).map(serviceOf),
      image: "example.com/chancery:test",
      owned: (given.owned ?? []).map((one) => liveOf(one, object)),
      serverNames: given.serverNames && alternativeNames(given.serverNames),
      bundle: given.bundle ?? false,
      nodeIds: given.nodeIds ?? [],
      clients: Object.entries(given.clients ?? {}).map(([name, uris]) => ({ name, uris })),
    });
    const names = (removals: typeof plan.remove) => removals.map(({ key, uid }) => `${formatKey(key)} ${uid}`);
    return {
      ...(plan.replace.length > 0 ? { replace: names(plan.replace) } : {}),
      apply: plan.apply.map((one) => given.show?.includes(one.kind) ? one : formatKey(keyOf(one))),
      ...(plan.remove.length > 0 ? { remove: names(plan.remove) } : {}),
      status: plan.status ?? "unchanged",
      ...(plan.events.length > 0 ? { events: plan.events } : {}),
      ...(plan.next === undefined ? {} : { next: new Date(plan.next).toISOString() }),
    };
  },
});

function serviceOf({ metadata, ...rest }: Partial<DiscoveryService>): DiscoveryService {
  const full = {
    ...{ name: "ds", namespace: "ns", uid: "ds-uid", generation: 1, creationTimestamp: "2026-01-01T00:00:00Z" },
    ...metadata,
  };
  return { apiVersion: OPERATOR_API_VERSION, kind: "DiscoveryService", metadata: full, ...rest };
}

function liveOf(
  { owner, ...rest }: Record<string, unknown> & { owner?: string },
  object: DiscoveryService,
): WatchedObject {
  const live = rest as WatchedObject; // our own files
  const ownerReferences = owner === undefined ? [] : [{
    ...{ apiVersion: OPERATOR_API_VERSION, kind: "DiscoveryService", name: object.metadata.name, controller: true },
    uid: owner === "us" ? object.metadata.uid! : owner,
  }];
  const metadata = { namespace: "ns", uid: `${live.kind}-uid`, generation: 1, ...live.metadata };
  return { ...live, metadata: { ...metadata, ...(ownerReferences.length > 0 ? { ownerReferences } : {}) } };
}
