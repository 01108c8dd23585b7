import type { ReplicaReport } from "../../api/mod.ts";
import { type Publication, publicationId } from "../../snapshot/mod.ts";
import type { WatchedObject } from "../engine/object_source.ts";
import { expectedOf, ownReport, reportDueAt, RETURN_MS } from "./client_reports.ts";
import type { NodeInputs, Seen } from "./inputs.ts";
import { revisionStatusOf } from "./revision.ts";
import { judge, type Judgement, type Tally, tallyOf } from "./verdict.ts";

/** An acceptance counts when it lasts: a starting Envoy asks for listeners only when it has accepted its clusters. */
const ACCEPTANCE_MS = 2_000;

/** A replica's own word on a revision. */
export interface WantedReport {
  readonly object: WatchedObject;
  readonly report: ReplicaReport;
}

/** What Envoys said of what is published now. */
export interface Reports {
  readonly publication?: Publication;
  /** Absent when nothing is published. */
  readonly judgement?: Judgement;
  /** Whether any Envoy refused anything of it. */
  readonly refused: boolean;
  /** To be written now. */
  readonly due?: WantedReport;
  /** To be written if it is no longer published from now on, as nothing will be said of it later. */
  readonly lastWord?: WantedReport;
  /** As the status shall tell: no newer than what is stored, so that it is written no more often. */
  readonly shown?: Tally;
  /** Whether Envoys of other replicas are expected here. */
  readonly inherits: boolean;
  /** Memory for the next plan. */
  readonly seen?: Seen;
  /** When this may look otherwise although nothing happened; milliseconds since the epoch. */
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
  if (!current) return { refused: false, inherits: false };
  const { reports, replica, replicas, reportWrittenAt: writtenAt, now, monotonic } = inputs;
  const { clients = {} } = revision ? revisionStatusOf(revision) : {};
  const publication = publicationId(current);
  const stored = clients[replica.name];
  const before = inputs.seen?.publication === publication ? inputs.seen : { publication, since: monotonic };
  const known = inputs.leading ? heir(before, { clients, publication, inputs }) : before;
  const awaited = known.awaited && { ...known.awaited, until: now + known.awaited.until - monotonic };
  const lapsesAt = earlierLife(stored, { publication, replica }) ? known.since + RETURN_MS : undefined;
  const lapsed = lapsesAt !== undefined && lapsesAt <= monotonic;
  const heeded = lapsed ? undefined : stored;
  const { report, changesAt } = ownReport(reports, { publication, stored: heeded, replica, awaited, now });
  const said = { ...clients, [replica.name]: report };
  const onIt = (all: Readonly<Record<string, ReplicaReport>>) =>
    Object.entries(all).filter(([name, one]) => one.publication === publication && replicas.get(name) === one.bootId)
      .map(([, one]) => one);
  const refused = onIt(said).some(({ rejected }) => rejected > 0);
  const seen = refused && known.refusedSince === undefined ? { ...known, refusedSince: monotonic } : known;
  const judgement = judge(said, {
    publication,
    publishedMs: monotonic - seen.since,
    refusedMs: monotonic - (seen.refusedSince ?? monotonic),
    replicas,
    rejectedPercent,
  });
  // The word of the leader counts unwritten, unless it has to outlive it.
  const inherits = awaited !== undefined && awaited.until > now;
  const asked = lapsed || (inputs.leading ? inherits : refused);
  const dueAt = reportDueAt(report, { stored, writtenAt, asked, now });
  const isDue = dueAt !== undefined && dueAt <= now;
  const recheckAt = judgement.recheckInMs === undefined ? undefined : now + judgement.recheckInMs;
  const lapseAt = lapsesAt === undefined || lapsed ? undefined : now + lapsesAt - monotonic;
  const times = [recheckAt, changesAt, lapseAt, isDue ? undefined : dueAt].filter((at) => at !== undefined);
  return {
    publication: current,
    judgement,
    refused: Object.values(said).some((one) => one.publication === publication && one.rejected + one.refusedData > 0),
    ...(isDue && revision ? { due: { object: revision, report } } : {}),
    ...(dueAt !== undefined && revision ? { lastWord: { object: revision, report } } : {}),
    shown: tallyOf(onIt(isDue ? said : clients)),
    inherits,
    seen,
    ...(times.length > 0 ? { lookAt: Math.min(...times) } : {}),
  };
}

/** Whether what is stored was told in an earlier life of this replica, of Envoys that have not come back. */
function earlierLife(
  stored: ReplicaReport | undefined,
  { publication, replica }: { publication: string; replica: NodeInputs["replica"] },
): boolean {
  return stored !== undefined && stored.bootId !== replica.bootId && stored.publication === publication &&
    stored.connected + (stored.expected ?? 0) > 0;
}

/** The version that all Envoys have accepted for good, and since when they accept what is published. */
export function acceptanceOf(
  { publication, judgement, seen }: Reports,
  { changed, now, monotonic }: { changed: boolean; now: number; monotonic: number },
): { seen?: Seen; acknowledged?: string; lookAt?: number } {
  if (!publication || !seen || changed) return {};
  const { acceptedSince, ...rest } = seen;
  if (judgement?.kind !== "accepted") return { seen: rest };
  const since = acceptedSince ?? monotonic;
  const left = since + ACCEPTANCE_MS - monotonic;
  const next = { ...rest, acceptedSince: since };
  return left > 0 ? { seen: next, lookAt: now + left } : { seen: next, acknowledged: publication.version };
}

/** The replicas that have told something of a revision and are no more. */
export function deadReplicas(
  clients: Readonly<Record<string, ReplicaReport>>,
  { replica, replicas }: Pick<NodeInputs, "replica" | "replicas">,
): string[] {
  return Object.keys(clients).filter((name) => name !== replica.name && !replicas.has(name));
}

/**
 * The leader expects the Envoys of a replica that died to come back somewhere, as it expects its own after a restart: the
 * first odd one must not speak for all. It notes them in its own report before the entry of the dead one is taken away.
 */
function heir(
  seen: Seen,
  { clients, publication, inputs }: {
    clients: Readonly<Record<string, ReplicaReport>>;
    publication: string;
    inputs: NodeInputs;
  },
): Seen {
  const { replica, now, monotonic } = inputs;
  const { awaited } = seen;
  const left = deadReplicas(clients, inputs).flatMap((name) => {
    const { bootId, ...report } = clients[name]!; // its own name
    const of = `${name}/${bootId}`;
    return report.publication === publication && !awaited?.of.includes(of) ? [{ of, report }] : [];
  });
  const count = left.reduce((sum, { report: { sent, expected = 0 } }) => sum + Math.max(sent, expected), 0);
  if (count === 0) return seen;
  const own = clients[replica.name];
  const known = Math.max(
    own?.publication === publication ? expectedOf(own, now)?.count ?? 0 : 0,
    awaited && awaited.until > monotonic ? awaited.count : 0,
  );
  const of = [...awaited?.of ?? [], ...left.map((one) => one.of)];
  return { ...seen, awaited: { count: known + count, until: monotonic + RETURN_MS, of } };
}
