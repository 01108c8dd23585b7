import { type EnvoyConfigStatus, sameStatus } from "../../api/mod.ts";
import { type Built, type CompiledSpec, publicationId } from "../../snapshot/mod.ts";
import type { WantedStatus } from "../engine/apply_statuses.ts";
import { keyOf, type WatchedObject } from "../engine/object_source.ts";
import { Builds } from "./builds.ts";
import { type Candidate, type Candidates, candidatesOf } from "./candidates.ts";
import { byAge } from "../engine/by_age.ts";
import { compiledConfig } from "./compiled_config.ts";
import { statusOf } from "./config_status.ts";
import { currentPublication, decide, type DecideInput, type Decision, publicationOf, taintsOf } from "./decide.ts";
import { followPlan } from "./follow.ts";
import type { ConfigInput, NodeInputs } from "./inputs.ts";
import type { NodePlan, PlanOptions } from "./node_plan.ts";
import { isLatest, nextPublicationTime, ranked, surplus } from "./order.ts";
import { eventsOf } from "./plan_events.ts";
import { acceptanceOf, deadReplicas, type Reports, reportsOn } from "./plan_reports.ts";
import { isPublished, revisionStatusOf } from "./revision.ts";
import { finalizedRevisions, revisionObject } from "./revision_object.ts";
import { revisionStatus, rivalStatus } from "./revision_status.ts";
import { conflictStatus, servingStatus } from "./status.ts";
import { type Steering, steeringOf } from "./steering.ts";
import { takenOver } from "./take_over.ts";

/**
 * Decides what one node id is served, which of its revisions are kept, and what all are told. A spec that cannot be read, or
 * that Envoys refuse, leaves what is served: a bad change never takes traffic down.
 */
export function planNode(inputs: NodeInputs, options: PlanOptions): NodePlan {
  const [winner, ...others] = byAge(inputs.configs);
  if (!inputs.leading) return followPlan(inputs, options);
  if (!winner) return gonePlan(inputs);
  return new Planning({ winner, others, inputs, options }).plan();
}

/** Nobody configures the node id: what an EnvoyConfig left behind that went to another one goes too (W25). */
function gonePlan({ nodeId, revisions }: NodeInputs): NodePlan {
  const removals = revisions.filter(({ owner }) => owner.state === "moved").map(({ object }) => object);
  return {
    nodeId,
    first: [],
    output: { kind: "gone" },
    decided: false,
    events: [],
    then: [],
    removals,
    finalized: finalizedRevisions(revisions),
    dead: [],
    lastGood: new Map(),
  };
}

/** One plan in the making: everything that follows from the inputs, each once. */
class Planning {
  readonly #winner: ConfigInput;
  readonly #others: readonly ConfigInput[];
  readonly #inputs: NodeInputs;
  readonly #status: EnvoyConfigStatus;
  readonly #desired: CompiledSpec | undefined;
  readonly #candidates: Candidates;
  readonly #ranked: readonly Candidate[];
  readonly #steering: Steering;
  readonly #reports: Reports;
  readonly #builds: Builds;
  readonly #decision: Decision;

  constructor({ winner, others, inputs, options }: {
    winner: ConfigInput;
    others: readonly ConfigInput[];
    inputs: NodeInputs;
    options: PlanOptions;
  }) {
    this.#winner = winner;
    this.#others = others;
    this.#inputs = inputs;
    this.#desired = compiledConfig(winner);
    this.#candidates = candidatesOf(winner, { desired: this.#desired, revisions: inputs.revisions });
    this.#ranked = ranked(this.#candidates.all, this.#desired?.version);
    const status = this.#status = takenOver(statusOf(winner.object), this.#ranked);
    this.#steering = steeringOf(winner.object, status);
    const current = currentPublication(status);
    this.#reports = reportsOn(current, {
      revision: this.#ranked.find(({ version }) => version === current?.version)?.object,
      rejectedPercent: winner.read.config?.spec.rollback?.rejectedPercent ?? 100,
      inputs,
    });
    const input: DecideInput = {
      ranked: this.#ranked,
      desired: this.#desired?.version,
      status,
      steering: this.#steering,
      judgement: this.#reports.judgement,
      accepted: acceptanceOf(this.#reports, { ...inputs, changed: false }).acknowledged !== undefined,
      refused: this.#reports.refused,
      now: inputs.now,
    };
    const taints = taintsOf(input);
    const publication = new Map(
      this.#ranked.map(({ version }) => [version, publicationOf(version, input, taints)]),
    );
    this.#builds = new Builds(inputs, { ...options, publicationOf: (version) => publication.get(version)! });
    this.#decision = decide(input, taints, this.#builds);
  }

  plan(): NodePlan {
    const { chosen, changed, cacheState, heldUntil } = this.#decision;
    const { nodeId, revisions, served, now } = this.#inputs;
    const wanted = this.#ranked.find(({ version }) => version === this.#desired?.version);
    const desired = wanted && this.#builds.of(wanted);
    const { kept, removals } = this.#retention();
    const { first, then } = this.#revisionStatuses(kept);
    const acceptance = acceptanceOf(this.#reports, { ...this.#inputs, changed });
    const { config, counts } = this.#configStatuses({ kept, desired, acknowledged: acceptance.acknowledged });
    const retryRefused = cacheState === "RollbackFailed" || heldUntil !== undefined;
    const snapshot = chosen?.built.snapshot;
    const same = snapshot === served?.snapshot && retryRefused === served?.retryRefused;
    const report = changed ? this.#reports.lastWord : this.#reports.due;
    const seen = changed && chosen
      ? { publication: publicationId(chosen.publication), since: this.#inputs.monotonic }
      : acceptance.seen;
    const times = [this.#reports.lookAt, acceptance.lookAt, heldUntil].filter((at) => at !== undefined && at > now);
    return {
      nodeId,
      ...(this.#candidates.create && this.#desired
        ? {
          create: revisionObject(this.#winner.object, this.#desired, wanted?.object),
          ...(wanted?.object ? { replaces: wanted.object } : {}),
        }
        : {}),
      first: [...first, config],
      output: snapshot && !same ? { kind: "set", snapshot, retryRefused } : { kind: "keep" },
      decided: changed,
      events: eventsOf(this.#winner.object, this.#status, this.#decision),
      then: [...then, ...this.#conflictStatuses()],
      removals,
      finalized: finalizedRevisions(revisions),
      ...(report ? { report } : {}),
      ...(counts ? { counts } : {}),
      dead: this.#deadReports(),
      ...(times.length > 0 ? { lookAt: Math.min(...times as number[]) } : {}), // filtered in the lines above
      ...(snapshot ? { served: { snapshot, retryRefused, builds: this.#builds.made } } : served ? { served } : {}),
      ...(seen ? { seen } : {}),
      ...(chosen ? { lastGood: chosen.built.lastGood } : {}),
      source: { key: keyOf(this.#winner.object), ...(desired ? { built: desired } : {}) },
    };
  }

  #retention(): { kept: Candidate[]; removals: WatchedObject[] } {
    const { acknowledgedVersion } = this.#status;
    const keep = new Set([
      this.#desired?.version,
      this.#decision.chosen?.candidate.version,
      currentPublication(this.#status)?.version,
      acknowledgedVersion,
      this.#steering.pin?.version,
    ].filter((version) => version !== undefined));
    const stored = this.#ranked.filter(({ object, version }) => object || version === this.#desired?.version);
    const gone = surplus(stored, keep);
    const removals = [...gone.flatMap(({ object }) => object ?? []), ...this.#candidates.needless];
    return { kept: stored.filter((one) => !gone.includes(one)), removals };
  }

  /** The new one is marked before the old one loses its mark, so that a crash in between leaves none without (W26). */
  #revisionStatuses(kept: readonly Candidate[]): { first: WantedStatus[]; then: WantedStatus[] } {
    const { chosen, changed, taints } = this.#decision;
    const { now } = this.#inputs;
    const first: WantedStatus[] = [];
    const then: WantedStatus[] = this.#candidates.rivals.map((object) => rivalStatus(object, now));
    for (const { object, version } of kept) {
      if (!object) continue;
      const taint = taints.get(version);
      if (version !== chosen?.candidate.version) {
        const status = revisionStatus(object, { taint, now });
        // A taint says why another one is served, so it comes before.
        (version === currentPublication(this.#status)?.version && changed ? first : then).push(status);
        continue;
      }
      // It stands already when the decision could not be written the last time.
      const stands = isPublished(object) && isLatest(object, this.#ranked);
      const at = stands ? {} : { at: nextPublicationTime(this.#ranked, now) };
      const published = { ...at, snapshot: chosen.built.snapshot };
      first.unshift(revisionStatus(object, { published, taint, now }));
    }
    return { first, then };
  }

  /** The status; and with the newest counts, where nothing but those is new. */
  #configStatuses(of: {
    kept: readonly Candidate[];
    desired: Built | undefined;
    acknowledged: string | undefined;
  }): { config: WantedStatus; counts?: WantedStatus } {
    const { clients } = this.#status;
    const counts = this.#configStatus(of, this.#clients());
    const config = clients && !this.#decision.changed ? this.#configStatus(of, clients) : counts;
    const quiet = sameStatus(config.status, config.object.status) && !sameStatus(config.status, counts.status);
    return quiet ? { config, counts } : { config: counts };
  }

  /** What Envoys of all replicas make of what is published; absent while nobody has said anything. */
  #clients(): EnvoyConfigStatus["clients"] {
    const { shown } = this.#reports;
    if (!shown || shown.replicas === 0 || this.#decision.changed) return undefined;
    const { connected, accepted, rejected, refusedData, silent: pending } = shown;
    return { connected, accepted, rejected, refusedData, pending };
  }

  #deadReports(): NodePlan["dead"] {
    const { inherits, lastWord } = this.#reports;
    return this.#inputs.revisions.flatMap(({ object }) =>
      deadReplicas(revisionStatusOf(object).clients ?? {}, this.#inputs).map((replica) => ({
        object,
        replica,
        waits: inherits && lastWord?.object === object,
      }))
    );
  }

  #configStatus(
    { kept, desired, acknowledged }: {
      kept: readonly Candidate[];
      desired: Built | undefined;
      acknowledged: string | undefined;
    },
    clients: EnvoyConfigStatus["clients"],
  ): WantedStatus {
    const { chosen, cacheState, changed, rolledBack } = this.#decision;
    const { now } = this.#inputs;
    const status = this.#status;
    const { observedRetry, pinStatus } = this.#steering;
    const rollbacks = rolledBack
      ? [...status.rollbacks ?? [], new Date(now).toISOString()].slice(-10)
      : changed
      ? []
      : status.rollbacks ?? [];
    const acknowledgedVersion = acknowledged ?? status.acknowledgedVersion;
    const rollbackCount = chosen?.publication.rollbackCount ?? status.rollbackCount ?? 0;
    const publication = chosen ? publicationId(chosen.publication) : status.publication;
    const told: Omit<EnvoyConfigStatus, "conditions"> = {
      cacheState,
      publishedVersion: cacheState === "RollbackFailed" ? "" : chosen?.candidate.version ?? "",
      ...(this.#desired ? { desiredVersion: this.#desired.version } : {}),
      ...(acknowledgedVersion === undefined ? {} : { acknowledgedVersion }),
      ...(publication === undefined ? {} : { publication }),
      ...(rollbackCount === 0 ? {} : { rollbackCount }),
      ...(rollbacks.length === 0 ? {} : { rollbacks }),
      ...(observedRetry === undefined ? {} : { observedRetry }),
      ...(pinStatus === undefined ? {} : { pin: pinStatus }),
      ...(clients === undefined ? {} : { clients }),
      revisions: kept.flatMap(({ version, object }) => object ? { version, ref: referenceTo(object) } : []),
    };
    const tally = changed ? undefined : this.#reports.shown;
    const others = this.#others;
    return servingStatus(this.#winner, { told, decision: this.#decision, desired, others, tally, now });
  }

  #conflictStatuses(): WantedStatus[] {
    const { now } = this.#inputs;
    return this.#others.map((config) =>
      conflictStatus(config, { winner: this.#winner, desired: compiledConfig(config)?.version, now })
    );
  }
}

function referenceTo(object: WatchedObject) {
  const { kind, namespace, name } = keyOf(object);
  const { uid } = object.metadata;
  return { apiVersion: object.apiVersion, kind, namespace, name, ...(uid === undefined ? {} : { uid }) };
}
