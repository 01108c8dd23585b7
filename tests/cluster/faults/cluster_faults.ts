/**
 * What can go wrong around replicas and their API server. Each breaks something and mends it; what else is done meanwhile is the
 * business of the run.
 * @module
 */
import type { Random } from "../../faults/random.ts";
import type { Replica } from "../discovery_service/replica.ts";
import type { FaultSite } from "./fault_site.ts";

/** A fault, and what it needs to remember until it is mended. */
export interface ClusterFault {
  readonly name: string;
  /** Nobody can be expected to answer while it lasts. */
  readonly silent?: boolean;
  /** Breaks it; resolves with how to mend it. */
  break(site: FaultSite, random: Random): Promise<() => Promise<void>>;
}

/** Longer than a replica may stand still without noticing. */
const FROZEN_MS = 2_600;
const LEASE = "chancery-discovery-service";

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

async function killed(site: FaultSite, replica: Replica): Promise<() => Promise<void>> {
  await site.kill(replica);
  return async () => {
    await site.start(replica);
    await site.ready(replica);
  };
}

/** Writes a Lease as somebody whose clock is off. */
async function writeLease(site: FaultSite, name: string, { holder, renewTime }: { holder: string; renewTime: Date }) {
  const time = renewTime.toISOString().replace("Z", "000Z");
  await site.api.request(
    "PATCH",
    `/apis/coordination.k8s.io/v1/namespaces/${site.namespace}/leases/${name}?fieldManager=ghost&force=true`,
    {
      contentType: "application/apply-patch+yaml",
      body: {
        apiVersion: "coordination.k8s.io/v1",
        kind: "Lease",
        metadata: { name, namespace: site.namespace, labels: { "chancery.dev/role": "discovery-service" } },
        spec: { holderIdentity: holder, leaseDurationSeconds: 3, acquireTime: time, renewTime: time },
      },
    },
  );
}

const YEAR_MS = 365 * 86_400_000;

async function skewed(site: FaultSite, years: number): Promise<() => Promise<void>> {
  const renewTime = new Date(Date.now() + years * YEAR_MS);
  await writeLease(site, LEASE, { holder: `ghost_${crypto.randomUUID()}`, renewTime });
  await writeLease(site, "chancery-replica-ghost", { holder: crypto.randomUUID(), renewTime });
  return () => Promise.resolve(); // nobody else renews them, so they end by themselves
}

/** In the order in which a report names them. */
export const CLUSTER_FAULTS: readonly ClusterFault[] = [
  {
    name: "API server killed",
    async break({ cluster }) {
      await cluster.stop("kube-apiserver", { signal: "SIGKILL" });
      return () => cluster.start("kube-apiserver");
    },
  },
  {
    name: "etcd frozen",
    async break({ cluster }, random) {
      await cluster.freeze("etcd");
      const ms = 500 + random.below(2_000);
      return async () => {
        await pause(ms);
        await cluster.thaw("etcd");
      };
    },
  },
  {
    name: "leader killed",
    async break(site) {
      return await killed(site, await site.leader());
    },
  },
  {
    name: "replica frozen",
    silent: true,
    async break(site, random) {
      const replica = random.chance(0.5) ? await site.leader() : random.pick(site.replicas);
      replica.process.signal("SIGSTOP");
      return async () => {
        await pause(FROZEN_MS);
        replica.process.signal("SIGCONT");
        await site.ready(replica);
      };
    },
  },
  {
    name: "tokens refused",
    async break(site) {
      for (const { name } of site.replicas) await site.token(name, undefined);
      return async () => {
        for (const { name } of site.replicas) await site.token(name, 3600);
      };
    },
  },
  {
    name: "tokens expire",
    async break(site) {
      for (const { name } of site.replicas) await site.token(name, 2);
      return async () => {
        await pause(2_500);
        for (const { name } of site.replicas) await site.token(name, 3600);
      };
    },
  },
  { name: "Leases of the far future", break: (site) => skewed(site, 10) },
  { name: "Leases of the far past", break: (site) => skewed(site, -10) },
  {
    name: "every replica killed",
    async break(site) {
      const mend: (() => Promise<void>)[] = [];
      for (const replica of site.replicas) mend.push(await killed(site, replica));
      return async () => {
        for (const one of mend) await one();
      };
    },
  },
];
