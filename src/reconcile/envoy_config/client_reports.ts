import type { ReplicaReport } from "../../api/mod.ts";
import { canonicalJson } from "../../base/mod.ts";

/** What the Envoys connected to this replica made of one publication; `xds/mod.ts` has it. */
export interface ClientReport {
  /** Revision of the snapshot: a publication. */
  readonly revision: string;
  readonly connected: number;
  readonly sent: number;
  readonly accepted: number;
  readonly rejected: number;
  readonly refusedData: number;
  readonly pending: number;
  readonly firstRefusalAt?: number;
  readonly rejections: readonly {
    readonly streamId: string;
    readonly client: string;
    readonly typeUrl: string;
    readonly version: string;
    readonly message: string;
    readonly at: number;
  }[];
}

/** Where reports come from: the xDS hub. Whoever has it calls `progressed()` of the controller when one may have changed. */
export interface ClientReportSource {
  /** One report per publication that is on offer to a stream of the node. */
  reports(nodeId: string): readonly ClientReport[];
}

/** This replica of the discovery service. */
export interface Replica {
  readonly name: string;
  /** Another one after each start. */
  readonly bootId: string;
}

/** So long an Envoy that went away, or that the replica had before its own restart, may come back; Envoy's back-off reaches half of it. */
export const RETURN_MS = 60_000;
/** One revision's report is written at most once in this time, but the first verdict at once. */
const PACE_MS = 2_000;
const MAX_REJECTIONS = 5;
const MAX_MESSAGE = 1_000;

/** A report as it is stored, and until when it holds if nothing happens. */
export interface OwnReport {
  readonly report: ReplicaReport;
  /** When Envoys that did not come back are no longer expected. */
  readonly changesAt?: number;
}

/**
 * What this replica has to say on a publication. Those who went away may come back for a while: neither after a restart of the
 * replica nor while Envoys are restarted one by one must a single odd one speak for all.
 */
export function ownReport(
  reports: readonly ClientReport[],
  { publication, stored, replica, awaited, now }: {
    publication: string;
    stored: ReplicaReport | undefined;
    replica: Replica;
    /** Envoys that other replicas had which are no more, with our own; until when in milliseconds since the epoch. */
    awaited?: ExpectedBack | undefined;
    now: number;
  },
): OwnReport {
  const live = reports.find(({ revision }) => revision === publication);
  const { connected = 0, sent = 0, accepted = 0, rejected = 0, refusedData = 0, pending = 0 } = live ?? {};
  const back = expectedBack(publication, { stored, connected, awaited, now });
  const report: ReplicaReport = {
    bootId: replica.bootId,
    publication,
    connected,
    sent,
    accepted,
    rejected,
    refusedData,
    pending,
    ...(back ? { expected: back.count, expectedUntil: timeOf(back.until) } : {}),
    ...(live?.firstRefusalAt === undefined ? {} : { firstRefusalAt: timeOf(live.firstRefusalAt) }),
    ...(live && live.rejections.length > 0
      ? {
        rejections: live.rejections.slice(0, MAX_REJECTIONS).map((
          { streamId, client, typeUrl, version, message, at },
        ) => ({
          stream: streamId,
          client,
          type: typeUrl,
          version,
          message: shortened(message.trim()),
          at: timeOf(at),
        })),
      }
      : {}),
  };
  return back ? { report, changesAt: back.until } : { report };
}

/** When a report that differs from the stored one is to be written; `undefined` when there is nothing to say. */
export function reportDueAt(
  report: ReplicaReport,
  { stored, writtenAt, asked = false, now }: {
    stored: ReplicaReport | undefined;
    writtenAt: number | undefined;
    /** Whether a verdict waits for the word of this replica. */
    asked?: boolean;
    now: number;
  },
): number | undefined {
  const ours = stored?.bootId === report.bootId && stored.publication === report.publication;
  // Nobody is there, and nobody was told that somebody is.
  if (!ours && report.connected === 0 && !asked) return undefined;
  if (ours && sameReport(stored, report)) return undefined;
  const firstVerdict = answers(report) > 0 && !(ours && answers(stored) > 0);
  const firstRefusal = report.rejected > 0 && !(ours && stored.rejected > 0);
  if (writtenAt === undefined || firstVerdict || firstRefusal || (asked && !ours)) return now;
  return Math.max(now, writtenAt + PACE_MS);
}

/** How many are expected in all, and until when in milliseconds since the epoch. */
export interface ExpectedBack {
  readonly count: number;
  readonly until: number;
}

/** How many are expected back, when that is more than are there. */
function expectedBack(
  publication: string,
  { stored, connected, awaited, now }: {
    stored: ReplicaReport | undefined;
    connected: number;
    awaited: ExpectedBack | undefined;
    now: number;
  },
): ExpectedBack | undefined {
  const own = expectedOf(stored?.publication === publication ? stored : undefined, now);
  const back = awaited && awaited.until > now && awaited.count > (own?.count ?? 0) ? awaited : own;
  return back && back.count > connected ? back : undefined;
}

/** How many a stored report lets expect. */
export function expectedOf(stored: ReplicaReport | undefined, now: number): ExpectedBack | undefined {
  if (!stored) return undefined;
  const { sent, expected = 0, expectedUntil } = stored;
  const until = Math.min(Date.parse(expectedUntil ?? ""), now + RETURN_MS); // told by another clock, perhaps
  const waiting = expected > 0 && now < until ? expected : 0;
  const count = Math.max(sent, waiting);
  return { count, until: waiting === count ? until : now + RETURN_MS };
}

function shortened(message: string): string {
  return message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE - 1)}…` : message;
}

function answers({ accepted, rejected, refusedData }: ReplicaReport): number {
  return accepted + rejected + refusedData;
}

function sameReport(a: ReplicaReport, b: ReplicaReport): boolean {
  return canonicalJson(a) === canonicalJson(b);
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString();
}
