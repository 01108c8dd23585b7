import type { EnvoyConfigRevisionStatus } from "../../api/mod.ts";
import type { Clock } from "../../base/mod.ts";
import { resourceTypeOf } from "../../envoy/mod.ts";
import type { ClientsDocument, ClientsSource, RejectionDocument, ServedConfig } from "../documents/mod.ts";

/** A replica with clients has said so by then: it writes at most every two seconds, and the leader sums up. */
const HEARD_MS = 5_000;
const MAX_REJECTIONS = 5;

/** What was seen of one EnvoyConfig. */
interface Seen {
  readonly publication: string;
  /** Since when it is on offer, as far as was seen. */
  readonly at: number;
  /** Clients of it, as counted last. */
  readonly connected: number;
  /** Clients of what was on offer before. */
  readonly before: number;
}

/**
 * The clients as the leading replica has counted them, with the words that the replicas have written down. Replicas speak one
 * after the other: while fewer clients are heard of than there were before, the counts are not said to be of what is on offer.
 */
export class CountedClients implements ClientsSource {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #seen = new Map<string, Seen>();

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
  }

  async of(config: ServedConfig): Promise<ClientsDocument | undefined> {
    const { uid, status: { publication, clients } } = config;
    if (publication === undefined) return undefined; // of a program that tells nothing of clients
    const { at, connected, before } = this.#note(uid, publication, clients?.connected ?? 0);
    const heard = (clients && connected >= before) || this.#clock.monotonic() - at >= HEARD_MS;
    const told = { ...(heard && { publication }), ...clients ?? NOBODY };
    const { rejected, refusedData } = told;
    const refused = rejected + refusedData > 0 ? await config.revision(publication.split("-")[0] ?? "") : undefined;
    return { ...told, rejections: rejectionsOf(refused, publication) };
  }

  /** Forgets all but these EnvoyConfigs. */
  keep(uids: ReadonlySet<string>): void {
    for (const uid of this.#seen.keys()) if (!uids.has(uid)) this.#seen.delete(uid);
  }

  /** Nobody writes down who asks for a node id that is none. */
  strays(): [] {
    return [];
  }

  #note(uid: string, publication: string, connected: number): Seen {
    const known = this.#seen.get(uid);
    const seen = known?.publication === publication
      ? { ...known, connected }
      : { publication, at: this.#clock.monotonic(), connected, before: known?.connected ?? 0 };
    this.#seen.set(uid, seen);
    return seen;
  }
}

const NOBODY = { connected: 0, accepted: 0, rejected: 0, refusedData: 0, pending: 0 };

/** The first refusals of a publication that any replica tells of. */
function rejectionsOf(status: EnvoyConfigRevisionStatus | undefined, publication: string): RejectionDocument[] {
  const reports = Object.values(status?.clients ?? {}).filter((report) => report.publication === publication);
  return reports.flatMap(({ rejections = [] }) => rejections)
    .sort((a, b) => (a.at < b.at ? -1 : 1))
    .slice(0, MAX_REJECTIONS)
    .map(({ client, type, version, message, at }) => ({
      client,
      type: resourceTypeOf(type)?.short ?? type,
      version,
      message,
      at,
    }));
}
