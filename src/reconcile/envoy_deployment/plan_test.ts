import { testCases } from "../../../tests/golden/cases.ts";
import type { Condition } from "../../api/mod.ts";
import { type DiscoveryService, type EnvoyDeployment, OPERATOR_API_VERSION } from "../../api/operator/mod.ts";
import { formatKey } from "../../base/mod.ts";
import { keyOf, type WatchedObject } from "../engine/object_source.ts";
import { planEnvoyDeployment } from "./plan.ts";

/** A case, with as little said as needed. */
interface Case {
  readonly now?: string;
  readonly object: { readonly metadata?: object; readonly spec?: object; readonly status?: object };
  /** `null`: there is none. */
  readonly discoveryService?: { readonly spec?: object; readonly status?: object } | null;
  readonly nodeId?: string | null;
  /** What is there; `owner: us` stands for the owner reference. */
  readonly owned?: readonly (Record<string, unknown> & { readonly owner?: string })[];
  readonly envoyImage?: string;
  readonly restricted?: boolean;
  readonly userIsSet?: boolean;
  /** Kinds that are shown in full; of the others only what there is. */
  readonly show?: readonly string[];
}

const VERIFIABLE: Condition = {
  ...{ type: "ServerVerifiable", reason: "NamesAndBundleInPlace", message: "" },
  status: "True",
  lastTransitionTime: "2026-01-01T00:00:00Z",
};

testCases(new URL("./testdata", import.meta.url), {
  name: "planEnvoyDeployment()",
  run(input) {
    const given = input as unknown as Case; // our own files
    const object: EnvoyDeployment = {
      apiVersion: OPERATOR_API_VERSION,
      kind: "EnvoyDeployment",
      metadata: { name: "edge", namespace: "ns", uid: "ed-uid", generation: 1, ...given.object.metadata },
      spec: { envoyConfigRef: "config", discoveryServiceRef: "ds", ...given.object.spec },
      ...(given.object.status && { status: given.object.status }),
    };
    const service: DiscoveryService = {
      apiVersion: OPERATOR_API_VERSION,
      kind: "DiscoveryService",
      metadata: { name: "ds", namespace: "ns" },
      status: { conditions: [VERIFIABLE] },
      ...given.discoveryService,
    };
    const plan = planEnvoyDeployment({
      now: Date.parse(given.now ?? "2026-01-02T00:00:00Z"),
      object,
      discoveryService: given.discoveryService === null ? undefined : service,
      nodeId: given.nodeId === null ? undefined : given.nodeId ?? "edge-node",
      image: "example.com/chancery:test",
      envoyImage: given.envoyImage,
      owned: (given.owned ?? []).map((one) => liveOf(one, object)),
      namespace: { restricted: given.restricted ?? false, userIsSet: given.userIsSet ?? false },
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

function liveOf(
  { owner, ...rest }: Record<string, unknown> & { owner?: string },
  object: EnvoyDeployment,
): WatchedObject {
  const live = rest as WatchedObject; // our own files
  const ownerReferences = owner === undefined ? [] : [{
    ...{ apiVersion: OPERATOR_API_VERSION, kind: "EnvoyDeployment", name: object.metadata.name, controller: true },
    uid: owner === "us" ? object.metadata.uid! : owner,
  }];
  const metadata = { namespace: "ns", uid: `${live.kind}-uid`, generation: 1, ...live.metadata };
  return { ...live, metadata: { ...metadata, ...(ownerReferences.length > 0 ? { ownerReferences } : {}) } };
}
