import type { KubeConnection, KubernetesStore } from "../../store/kubernetes/mod.ts";
import { type Candidate, type Leases, TRUST_BUNDLE_ANNOTATION } from "../../store/kubernetes/lease/mod.ts";
import type { Metrics } from "../../telemetry/mod.ts";
import type { ClusterStatus, WatchStatus } from "../admin/mod.ts";
import type { CatchingUp } from "./catching_up.ts";

/** What a {@linkcode ClusterView} looks at. */
export interface ClusterParts {
  readonly connection: Pick<KubeConnection, "server">;
  readonly store: Pick<KubernetesStore, "watches">;
  readonly namespaces: readonly string[];
  readonly self: Candidate;
  /** Of the leader, as `NAMESPACE/NAME`. */
  readonly lease: string;
  /** Absent until they were looked at. */
  leases(): Leases | undefined;
  catchingUp(): Pick<CatchingUp, "pausedSince"> | undefined;
}

/** This replica among the others and before the API server, as `/status` and `/metrics` show it. */
export class ClusterView {
  readonly #parts: ClusterParts;

  constructor(parts: ClusterParts) {
    this.#parts = parts;
  }

  status(): ClusterStatus {
    const { connection: { server }, namespaces, self, lease } = this.#parts;
    const leases = this.#parts.leases();
    const leader = leases?.leader();
    const pausedSince = this.#parts.catchingUp()?.pausedSince;
    return {
      server,
      namespaces,
      replica: self,
      leader: { ...(leader !== undefined && { name: leader }), self: leases?.leading() ?? false, lease },
      replicas: this.#replicas(),
      watches: this.#watches(),
      ...(pausedSince !== undefined && { pausedSince: new Date(pausedSince).toISOString() }),
    };
  }

  /** Why no Envoy is answered at the moment; `undefined` when they are. */
  silence(): string | undefined {
    if (this.#parts.catchingUp()?.pausedSince === undefined) return undefined;
    return "the process stood still and catches up with the API server";
  }

  /** What is wrong between this replica and the API server, in words. */
  problems(): readonly string[] {
    const watches = this.#watches().flatMap(({ kind, namespace, problem }) => {
      if (problem === undefined) return [];
      return [
        `watch of ${kind}${namespace === undefined ? "" : ` in namespace ${JSON.stringify(namespace)}`}: ${problem}`,
      ];
    });
    return [...watches, ...this.#parts.leases()?.problems() ?? []];
  }

  collect(metrics: Metrics): void {
    const leases = this.#parts.leases();
    metrics.set("chancery_leading", {}, leases?.leading() ? 1 : 0);
    metrics.set("chancery_replicas_live", {}, leases?.live().size ?? 0);
    metrics.set("chancery_xds_paused", {}, this.#parts.catchingUp()?.pausedSince === undefined ? 0 : 1);
    for (const { kind, namespace = "", state } of this.#watches()) {
      metrics.set("chancery_watch_current", { kind, namespace }, state === "current" ? 1 : 0);
    }
  }

  #replicas(): ClusterStatus["replicas"] {
    const leases = this.#parts.leases();
    const told = leases?.told();
    return [...leases?.live() ?? []].map(([name, bootId]) => {
      const trusts = told?.get(name)?.[TRUST_BUNDLE_ANNOTATION];
      return { name, bootId, ...(trusts !== undefined && { trusts: trusts.split(",") }) };
    });
  }

  #watches(): readonly WatchStatus[] {
    return this.#parts.store.watches().map(({ kind, namespace, state, since, problem }) => ({
      kind,
      ...(namespace !== undefined && namespace !== "" && { namespace }),
      state,
      since: new Date(since).toISOString(),
      ...(problem !== undefined && { problem }),
    }));
  }
}
