import { expect } from "expect";
import { type EnvoyConfigStatus, LEGACY_FINALIZER } from "../../src/api/mod.ts";
import { systemClock } from "../../src/base/mod.ts";
import { envoyRegistry } from "../../src/envoy/mod.ts";
import { type ClientReport, EnvoyConfigController } from "../../src/reconcile/mod.ts";
import type { StoredObject } from "../../src/store/mod.ts";
import { clusterTest, type ControlPlane, sharedControlPlane } from "./control_plane/mod.ts";
import { eventually, openStore } from "./store_scene.ts";

const API = "marin3r.3scale.net/v1alpha1";

type Fields = Record<string, unknown>;
type Answer = "accepts" | "refuses";

/** A controller of its own connection, with Envoys that say what they are told to say. */
async function startReplica(name: string, { cluster, namespace, live }: {
  cluster: ControlPlane;
  namespace: string;
  live: Map<string, string>;
}) {
  const { store, log, [Symbol.asyncDispose]: close } = await openStore(cluster.kubeconfig, { namespaces: [namespace] });
  const stop = new AbortController();
  const errors: unknown[] = [];
  let leading = false;
  let serving: string | undefined;
  let answers: readonly Answer[] = [];
  let answered: string | undefined;
  const reports = (): ClientReport[] => {
    if (serving === undefined || answers.length === 0) return [];
    const count = (answer: Answer) => answered === serving ? answers.filter((one) => one === answer).length : 0;
    const said = count("accepts") + count("refuses");
    const rejection = {
      streamId: "1",
      client: `envoy-of-${name}`,
      typeUrl: "t/Listener",
      version: "v",
      at: Date.now(),
    };
    return [{
      revision: serving,
      connected: answers.length,
      sent: answers.length,
      accepted: count("accepts"),
      rejected: count("refuses"),
      refusedData: 0,
      pending: answers.length - said,
      rejections: count("refuses") > 0 ? [{ ...rejection, message: "listener is bad" }] : [],
    }];
  };
  const controller = new EnvoyConfigController({
    store,
    registry: envoyRegistry(),
    clock: systemClock,
    random: Math.random,
    replica: { name, bootId: "1" },
    replicas: { live: () => live },
    leadership: { leading: () => leading },
    clients: { reports },
    concurrency: 4,
    sink: {
      set: (_nodeId, { revision }) => {
        serving = revision;
        queueMicrotask(() => controller.progressed("edge"));
      },
      gone: () => serving = undefined,
    },
    onError: (_group, { error }) => errors.push(error),
  });
  live.set(name, "1");
  await controller.start(stop.signal);
  return {
    errors,
    log,
    get serving() {
      return serving;
    },
    lead(now: boolean) {
      leading = now;
      controller.leadershipChanged();
    },
    answer(said: readonly Answer[]) {
      answers = said;
      answered = serving;
      controller.progressed("edge");
    },
    replicasChanged: () => controller.replicasChanged(),
    async [Symbol.asyncDispose]() {
      stop.abort();
      await controller.idle();
      await close();
    },
  };
}

/** What an EnvoyConfig named edge and its revisions are, and how they get there. */
async function openSite() {
  const cluster = await sharedControlPlane();
  await cluster.applyCrds();
  const namespace = await cluster.namespace();
  const path = `/apis/${API}/namespaces/${namespace}`;
  const get = async (what: string) => await cluster.request("GET", `${path}/${what}`);
  return {
    cluster,
    namespace,
    /** As an older program does: everything by update, under the name of its binary. */
    async create(plural: string, { status, ...object }: Fields & { metadata: Fields & { name: string } }) {
      const query = "fieldManager=manager";
      const made = await cluster.request("POST", `${path}/${plural}?${query}`, {
        apiVersion: API,
        ...object,
      }) as object;
      if (!status) return made as StoredObject;
      const whole = { ...made, status };
      return await cluster.request(
        "PUT",
        `${path}/${plural}/${object.metadata.name}/status?${query}`,
        whole,
      ) as StoredObject;
    },
    async configure(resource: string) {
      const spec = { nodeID: "edge", resources: [{ type: "route", value: { name: resource } }] };
      const object = { apiVersion: API, kind: "EnvoyConfig", metadata: { name: "edge" }, spec };
      const query = "fieldManager=user&force=true";
      await cluster.request("PATCH", `${path}/envoyconfigs/edge?${query}`, object, "application/apply-patch+yaml");
    },
    async remove(what: string) {
      await cluster.request("DELETE", `${path}/${what}`);
    },
    async status(): Promise<EnvoyConfigStatus> {
      return ((await get("envoyconfigs/edge")) as { status?: EnvoyConfigStatus }).status ?? {};
    },
    async revisions(): Promise<StoredObject[]> {
      return ((await get("envoyconfigrevisions")) as { items: StoredObject[] }).items;
    },
  };
}

function conditionOf({ status }: StoredObject, type: string): { status: string; reason: string } | undefined {
  const { conditions = [] } = (status ?? {}) as { conditions?: { type: string; status: string; reason: string }[] };
  return conditions.find((condition) => condition.type === type);
}

const TIME = "2024-11-09T12:00:00Z";

clusterTest(
  "W7, W27: what MARIN3R published is served at once, becomes ours without a gap, and loses its finalizers",
  async () => {
    const site = await openSite();
    const edge = await site.create("envoyconfigs", {
      kind: "EnvoyConfig",
      metadata: { name: "edge" },
      spec: { nodeID: "edge", envoyAPI: "v3", resources: [{ type: "route", value: { name: "new" } }] },
      status: {
        cacheState: "InSync",
        desiredVersion: "hash11",
        publishedVersion: "hash11",
        conditions: [
          { type: "Other", status: "True", reason: "ByOthers", message: "kept", lastTransitionTime: TIME },
        ],
      },
    });
    const owner = { apiVersion: API, kind: "EnvoyConfig", name: "edge", uid: edge.metadata.uid, controller: true };
    for (let n = 1; n <= 11; n++) {
      const name = n === 11 ? "new" : `old${n}`;
      const published = [
        {
          type: "RevisionPublished",
          status: "True",
          reason: "VersionPublished",
          message: "",
          lastTransitionTime: TIME,
        },
      ];
      await site.create("envoyconfigrevisions", {
        kind: "EnvoyConfigRevision",
        metadata: {
          name: `edge-v3-hash${n}`,
          finalizers: [LEGACY_FINALIZER],
          labels: { "marin3r.3scale.net/node-id": "edge", "marin3r.3scale.net/config-version": `hash${n}` },
          ownerReferences: [owner],
        },
        spec: {
          nodeID: "edge",
          envoyAPI: "v3",
          version: `hash${n}`,
          ...(n % 2 === 0
            ? { resources: [{ type: "route", value: { name } }] }
            : { envoyResources: { routes: [{ value: JSON.stringify({ name }) }] } }),
        },
        status: {
          lastPublishedAt: `2024-11-${String(n + 10)}T12:00:00Z`,
          ...(n === 11 ? { published: true, conditions: published } : {}),
        },
      });
    }
    const live = new Map<string, string>();
    await using a = await startReplica("a", { ...site, live });
    expect(a.serving).toBe("hash11"); // nobody leads yet
    expect((await site.revisions()).length).toBe(11);
    a.lead(true);
    await eventually(async () => (await site.status()).publication !== undefined, "something of ours is published");
    await eventually(
      async () => (await site.revisions()).every(({ metadata }) => !("finalizers" in metadata)),
      "all finalizers are gone",
    );
    await eventually(async () => (await site.revisions()).length === 10, "the oldest revisions are gone");
    const { cacheState, publishedVersion, acknowledgedVersion, conditions = [] } = await site.status();
    expect({ cacheState, acknowledgedVersion }).toEqual({ cacheState: "InSync", acknowledgedVersion: "hash11" });
    expect(a.serving).toBe(publishedVersion);
    expect(publishedVersion).toHaveLength(10);
    expect(conditions.find(({ type }) => type === "Other")?.reason).toBe("ByOthers");
    const revisions = await site.revisions();
    const marked = revisions.filter((revision) => conditionOf(revision, "RevisionPublished")?.status === "True");
    expect(marked.map(({ metadata }) => metadata.name)).toEqual([`edge-v3-${publishedVersion}`]);
    // One that comes with the finalizer of old, and is deleted at once, does not stay for ever.
    const late = { name: "edge-v3-late", finalizers: [LEGACY_FINALIZER] };
    await site.create("envoyconfigrevisions", {
      kind: "EnvoyConfigRevision",
      metadata: late,
      spec: { nodeID: "edge", version: "late", resources: [] },
    });
    await site.remove("envoyconfigrevisions/edge-v3-late");
    await eventually(
      async () => (await site.revisions()).every(({ metadata }) => metadata.name !== late.name),
      "it is gone",
    );
    expect(a.errors).toEqual([]);
  },
);

clusterTest(
  "W16, W18, W27: two replicas: what both refuse is rolled back by the leader; what the dead one told goes",
  async () => {
    const site = await openSite();
    const live = new Map<string, string>();
    await using a = await startReplica("a", { ...site, live });
    {
      await using b = await startReplica("b", { ...site, live });
      a.lead(true);
      await site.configure("one");
      await eventually(() => a.serving !== undefined && b.serving === a.serving, "both serve the first");
      const first = a.serving!;
      a.answer(["accepts"]);
      b.answer(["accepts", "accepts"]);
      await eventually(async () => (await site.status()).acknowledgedVersion === first, "the first is acknowledged");
      await eventually(async () => (await site.status()).clients?.accepted === 3, "the status tells of all three");
      await site.configure("two");
      await eventually(() => a.serving !== first && b.serving === a.serving, "both serve the second");
      b.answer(["refuses", "refuses"]);
      await eventually(async () => (await site.status()).clients?.rejected === 2, "the status tells of two refusals");
      expect((await site.status()).cacheState).toBe("InSync"); // one Envoy may accept it
      a.answer(["refuses"]);
      await eventually(() => a.serving === `${first}-r1` && b.serving === a.serving, "both serve the first again");
      const { conditions = [] } = await site.status();
      const why = conditions.find(({ type }) => type === "CacheOutOfSync")?.message;
      expect(why).toContain("3 of 3 Envoys refused it");
      expect(why).toContain("listener is bad");
      a.answer(["accepts"]);
      b.answer(["accepts", "accepts"]);
      await eventually(
        async () => (await site.status()).clients?.accepted === 3,
        "the status tells of all three again",
      );
      // The other one leads, and then there is one replica less.
      a.lead(false);
      b.lead(true);
      await site.configure("three");
      await eventually(() => a.serving === b.serving && !a.serving!.startsWith(first), "both serve the third");
      expect([...a.errors, ...b.errors]).toEqual([]);
    }
    live.delete("b");
    a.lead(true);
    a.replicasChanged();
    await eventually(async () => {
      const managers = (await site.revisions()).flatMap(({ metadata }) => metadata.managedFields ?? []);
      return managers.every(({ manager }) => manager !== "chancery-clients-b");
    }, "nothing is left of the dead one");
    const told = (await site.revisions()).flatMap(({ status }) =>
      Object.keys((status as { clients?: object } | undefined)?.clients ?? {})
    );
    expect(told).not.toContain("b");
    expect(a.errors).toEqual([]);
  },
);
