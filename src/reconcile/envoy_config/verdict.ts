import type { ReplicaReport } from "../../api/mod.ts";

/** After the first refusal, Envoys that say nothing for this long are left out. */
const SILENCE_MS = 10_000;
/** How long a verdict waits for replicas that have not reported on a publication. */
const REPLICAS_MS = 10_000;

/** What all replicas' Envoys made of a publication. */
export interface Tally {
  /** How many replicas have said anything. */
  readonly replicas: number;
  readonly connected: number;
  readonly sent: number;
  readonly accepted: number;
  readonly rejected: number;
  readonly refusedData: number;
  /** Envoys that have not answered everything, and those that a restarted replica still expects. */
  readonly silent: number;
  /** The first refusals, the oldest first. */
  readonly rejections: NonNullable<ReplicaReport["rejections"]>;
}

/** What is decided about a publication, and when to look again if nothing happens before. */
export interface Judgement {
  readonly kind: "tainted" | "accepted" | "open";
  readonly tally: Tally;
  /** Milliseconds from now. */
  readonly recheckInMs?: number;
}

/** What {@linkcode judge} goes by. Times are durations by our own clock: those of other machines' clocks decide nothing. */
export interface JudgeOptions {
  readonly publication: string;
  /** How long ago we saw first that it is published. In milliseconds. */
  readonly publishedMs: number;
  /** How long ago we saw first that somebody refuses it; 0 when that is new. In milliseconds. */
  readonly refusedMs: number;
  /** Boot id by name of each replica that lives; what others reported does not count. */
  readonly replicas: ReadonlyMap<string, string>;
  readonly rejectedPercent: number;
}

/**
 * Whether a publication is refused (W16). Refusals are counted against all Envoys that it was sent to and not against those
 * that have answered: refusals come first, while acceptance is withheld as long as clusters warm. Envoys that stay silent
 * are left out after a while, but not on the word of a single one. What was refused because of Secrets or endpoints counts as
 * not refused (W15).
 */
export function judge(reports: Readonly<Record<string, ReplicaReport>>, options: JudgeOptions): Judgement {
  const { publication, publishedMs, refusedMs, replicas, rejectedPercent } = options;
  const counted = Object.entries(reports).filter(([name, report]) =>
    replicas.get(name) === report.bootId && report.publication === publication
  ).map(([, report]) => report);
  const tally = tallyOf(counted);
  const { sent, accepted, rejected, refusedData, silent } = tally;
  const says = rejected > 0 || (sent > 0 && accepted === sent);
  if (!says) return { kind: "open", tally };
  if (counted.length < replicas.size && publishedMs < REPLICAS_MS) {
    return { kind: "open", tally, recheckInMs: REPLICAS_MS - publishedMs };
  }
  if (rejected === 0) return { kind: returning(reports, options) ? "open" : "accepted", tally };
  if (reaches(rejected, sent, rejectedPercent)) return { kind: "tainted", tally };
  if (silent === 0 || accepted + rejected + refusedData < 2) return { kind: "open", tally };
  if (!reaches(rejected, sent - silent, rejectedPercent)) return { kind: "open", tally };
  return refusedMs < SILENCE_MS
    ? { kind: "open", tally, recheckInMs: SILENCE_MS - refusedMs }
    : { kind: "tainted", tally };
}

/** Whether a replica that was started again has not told yet what became of the Envoys it had. */
function returning(
  reports: Readonly<Record<string, ReplicaReport>>,
  { publication, replicas }: JudgeOptions,
): boolean {
  return Object.entries(reports).some(([name, { bootId, connected, expected = 0, ...report }]) =>
    report.publication === publication && replicas.has(name) && replicas.get(name) !== bootId &&
    connected + expected > 0
  );
}

/** `3 of 4 Envoys refused it: LDS from edge-1: …`, in Envoy's words (W10). */
export function tallyText({ sent, rejected, rejections }: Tally): string {
  const lines = rejections.slice(0, 3).map(({ client, type, message }) =>
    `${type.slice(type.lastIndexOf(".") + 1)} by ${JSON.stringify(client)}: ${message}`
  );
  return `${rejected} of ${sent} Envoys refused it: ${[...new Set(lines)].join("; ")}`;
}

/** The sum of what replicas say. */
export function tallyOf(reports: readonly ReplicaReport[]): Tally {
  const sum = (count: (report: ReplicaReport) => number) => reports.reduce((total, one) => total + count(one), 0);
  const missing = sum(({ expected = 0, connected }) => Math.max(0, expected - connected));
  return {
    replicas: reports.length,
    connected: sum((report) => report.connected),
    sent: sum((report) => report.sent) + missing,
    accepted: sum((report) => report.accepted),
    rejected: sum((report) => report.rejected),
    refusedData: sum((report) => report.refusedData),
    silent: sum((report) => report.pending) + missing,
    rejections: reports.flatMap((report) => report.rejections ?? [])
      .sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0)),
  };
}

function reaches(rejected: number, of: number, percent: number): boolean {
  return of > 0 && rejected * 100 >= of * percent;
}
