import type { FileKind } from "./file_kind.ts";

/** What Envoy counts of one kind of file. */
export interface Counts {
  readonly attempts: number;
  readonly successes: number;
  /** Rejected and failed. */
  readonly refusals: number;
}

/** Counts by kind; kinds that Envoy does not ask for are absent. */
export type CountsByKind = ReadonlyMap<FileKind, Counts>;

/** Stat names of a subscription, by kind; order matters, `rds` is in `scoped_rds`. */
const PREFIXES: readonly (readonly [FileKind, RegExp])[] = [
  ["CDS", /^cluster_manager\.cds\./],
  ["LDS", /^listener_manager\.lds\./],
  ["SRDS", /\.scoped_rds\./],
  ["RDS", /\.rds\./],
  ["ECDS", /^extension_config_discovery\./],
  ["SDS", /(^|\.)sds\./],
  ["RTDS", /^runtime\./],
  ["EDS", /^cluster\./],
];

/** Sums up the text of Envoy's `/stats`. */
export function countsOf(stats: string): CountsByKind {
  const sums = new Map<FileKind, { attempts: number; successes: number; refusals: number }>();
  for (const line of stats.split("\n")) {
    const found = /^(.*\.)update_(attempt|success|rejected|failure): (\d+)$/.exec(line);
    const kind = found && PREFIXES.find(([, prefix]) => prefix.test(found[1]!))?.[0];
    if (!kind) continue;
    const sum = sums.get(kind) ?? { attempts: 0, successes: 0, refusals: 0 };
    const count = Number(found[3]);
    if (found[2] === "attempt") sum.attempts += count;
    else if (found[2] === "success") sum.successes += count;
    else sum.refusals += count;
    sums.set(kind, sum);
  }
  return sums;
}

/** What Envoy says of a file of a kind: nothing (`silent`) while it has not read it, or does not ask for it. */
export type Opinion = "accepted" | "refused" | "silent";

/** What Envoy said between two looks. A kind that is asked for since the first look began at zero. */
export function opinionOf(kind: FileKind, before: CountsByKind, now: CountsByKind): Opinion {
  const { attempts: a = 0, successes: s = 0, refusals: r = 0 } = before.get(kind) ?? {};
  const { attempts = 0, successes = 0, refusals = 0 } = now.get(kind) ?? {};
  if (refusals > r) return "refused";
  return attempts > a && successes > s ? "accepted" : "silent";
}

/** One resource that Envoy does not take, in its own words. */
export interface ErrorState {
  readonly name: string;
  readonly reason: string;
}

const MAX_REASON = 1000;

/** As far as it is looked at. */
interface UpdateFailureState {
  readonly details?: unknown;
  readonly failed_configuration?: { readonly name?: unknown };
}

/** Everything in a `/config_dump` that has an `error_state`. */
export function errorStatesOf(dump: unknown): ErrorState[] {
  const found: ErrorState[] = [];
  const open: { value: unknown; name: string }[] = [{ value: dump, name: "" }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, name } = next;
    if (typeof value !== "object" || value === null) continue;
    const own = Array.isArray(value) ? undefined : value as Readonly<Record<string, unknown>>;
    const called = typeof own?.["name"] === "string" ? own["name"] : name;
    const state = own?.["error_state"] as UpdateFailureState | undefined;
    if (typeof state?.details === "string") {
      // What never was in use has its name only in what failed.
      const refused = called || String(state.failed_configuration?.name ?? "");
      found.push({ name: refused, reason: state.details.slice(0, MAX_REASON) });
    }
    for (const child of Object.values(value)) open.push({ value: child, name: called });
  }
  return found.sort((a, b) => (a.name < b.name ? -1 : 1));
}
