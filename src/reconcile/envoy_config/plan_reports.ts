import type { ReplicaReport } from "../../api/mod.ts";
import { type Publication, publicationId } from "../../snapshot/mod.ts";
import type { WatchedObject } from "../engine/object_source.ts";
import { ownReport, reportDueAt } from "./client_reports.ts";
import type { Acceptance, NodeInputs } from "./inputs.ts";
import { revisionStatusOf } from "./revision.ts";
import { judge, type Judgement, type Tally, tallyOf } from "./verdict.ts";

/** An acceptance counts when it lasts: a starting Envoy asks for listeners only when it has accepted its clusters. */
const ACCEPTANCE_MS = 2_000;

/** What Envoys said of what is published now. */
export interface Reports {
  readonly publication?: Publication;
  /** Absent when nothing is published. */
  readonly judgement?: Judgement;
  /** Whether any Envoy refused anything of it. */
  readonly refused: boolean;
  /** To be written now. */
  readonly due?: { readonly object: WatchedObject; readonly report: ReplicaReport };
  /** To be written if it is no longer published from now on, as nothing will be said of it later. */
  readonly lastWord?: { readonly object: WatchedObject; readonly report: ReplicaReport };
  /** As the status shall tell: no newer than what is stored, so that it is written no more often. */
  readonly shown?: Tally;
  /** When this may look otherwise although nothing happened. */
  readonly lookAt?: number;
}

/** Puts together what all replicas say of a publication; this one's own word is taken as it is now, not as it was stored. */
export function reportsOn(
  current: Publication | undefined,
  { revision, rejectedPercent, inputs }: {
    revision: WatchedObject | undefined;
    rejectedPercent: number;
    inputs: NodeInputs;
  },
): Reports {
  if (!current) return { refused: false };
  const { reports, replica, replicas, reportWrittenAt: writtenAt, now } = inputs;
  const { clients = {}, lastPublishedAt } = revision ? revisionStatusOf(revision) : {};
  const publication = publicationId(current);
  const stored = clients[replica.name];
  const { report, changesAt } = ownReport(reports, { publication, stored, replica, now });
  const said = { ...clients, [replica.name]: report };
  const publishedAt = Date.parse(lastPublishedAt ?? "") || now;
  const judgement = judge(said, { publication, publishedAt, replicas, rejectedPercent, now });
  const onIt = (all: Readonly<Record<string, ReplicaReport>>) =>
    Object.entries(all).filter(([name, one]) => one.publication === publication && replicas.get(name) === one.bootId)
      .map(([, one]) => one);
  const dueAt = reportDueAt(report, { stored, writtenAt, now });
  const isDue = dueAt !== undefined && dueAt <= now;
  const times = [judgement.recheckAt, changesAt, isDue ? undefined : dueAt].filter((at) => at !== undefined);
  return {
    publication: current,
    judgement,
    refused: Object.values(said).some((one) => one.publication === publication && one.rejected + one.refusedData > 0),
    ...(isDue && revision ? { due: { object: revision, report } } : {}),
    ...(dueAt !== undefined && revision ? { lastWord: { object: revision, report } } : {}),
    shown: tallyOf(onIt(isDue ? said : clients)),
    ...(times.length > 0 ? { lookAt: Math.min(...times) } : {}),
  };
}

/** The version that all Envoys have accepted for good, and since when they accept what is published. */
export function acceptanceOf(
  { publication, judgement }: Reports,
  { acceptance, changed, now }: { acceptance?: Acceptance; changed: boolean; now: number },
): { next?: Acceptance; acknowledged?: string; lookAt?: number } {
  if (!publication || judgement?.kind !== "accepted" || changed) return {};
  const id = publicationId(publication);
  const next = acceptance?.publication === id ? acceptance : { publication: id, since: now };
  const at = next.since + ACCEPTANCE_MS;
  return now < at ? { next, lookAt: at } : { next, acknowledged: publication.version };
}
