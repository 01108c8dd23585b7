import type { HistoryDocument, RefusalDocument, RevisionDocument } from "../../app/documents/mod.ts";
import { heldVersion } from "../source/held_version.ts";
import type { Commands } from "../status/next.ts";

/** One revision in `chancery history -o json`. Every field is there in every item; what is not known is null. */
export interface HistoryItem {
  readonly version: string;
  /** Name of the EnvoyConfigRevision. */
  readonly revision: string;
  readonly createdAt: string;
  readonly lastPublishedAt: string | null;
  /** It is what the spec says now. */
  readonly desired: boolean;
  /** It is served now. */
  readonly published: boolean;
  /** All Envoys accepted it last. */
  readonly acknowledged: boolean;
  /** It is held by a pin. */
  readonly pinned: boolean;
  /** Why it must not be served. */
  readonly tainted: RefusalDocument | null;
  /** What the Envoys made of it when it was served last; null when nobody told. */
  readonly clients: {
    readonly connected: number;
    readonly accepted: number;
    readonly rejected: number;
    readonly refusedData: number;
    readonly pending: number;
  } | null;
  /** What to type next where there is something to do. */
  readonly next: string | null;
}

/** The whole of `chancery history -o json`: fields are added here, never removed or given another meaning. */
export interface HistoryReport {
  readonly version: 1;
  readonly server: string;
  readonly now: string;
  readonly namespace: string;
  readonly name: string;
  readonly nodeId: string | null;
  readonly cacheState: string | null;
  /** The newest last. */
  readonly items: readonly HistoryItem[];
}

/** Makes the report of what was answered. */
export function historyReport(
  { now, config, revisions }: HistoryDocument,
  { server, commands }: { server: string; commands: Commands },
): HistoryReport {
  const { namespace, name, nodeId = null, status } = config;
  const pinned = heldVersion(config);
  return {
    version: 1,
    server,
    now,
    namespace,
    name,
    nodeId,
    cacheState: status.cacheState ?? null,
    items: revisions.map((revision): HistoryItem => {
      const { version, refusal } = revision;
      const desired = version === status.desiredVersion;
      const { clients } = config;
      return {
        version,
        revision: revision.name,
        createdAt: revision.createdAt,
        lastPublishedAt: revision.lastPublishedAt ?? null,
        desired,
        published: revision.published,
        acknowledged: version === status.acknowledgedVersion,
        pinned: version === pinned,
        tainted: refusal ?? null,
        // Of what is served now the server itself knows more than is written down every two seconds.
        clients: revision.published && clients ? countsOf([clients]) : countsOf(Object.values(revision.clients)),
        next: refusal && desired ? commands.retry(config) : version === pinned ? commands.retry(config) : null,
      };
    }),
  };
}

function countsOf(
  reports: readonly Pick<
    RevisionDocument["clients"][string],
    "connected" | "accepted" | "rejected" | "refusedData" | "pending"
  >[],
): HistoryItem["clients"] {
  if (reports.length === 0) return null;
  const sum = (of: (report: typeof reports[number]) => number) => reports.reduce((total, one) => total + of(one), 0);
  return {
    connected: sum((report) => report.connected),
    accepted: sum((report) => report.accepted),
    rejected: sum((report) => report.rejected),
    refusedData: sum((report) => report.refusedData),
    pending: sum((report) => report.pending),
  };
}
