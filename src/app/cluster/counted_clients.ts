import type { EnvoyConfigRevisionStatus } from "../../api/mod.ts";
import type { Clock } from "../../base/mod.ts";
import { resourceTypeOf } from "../../envoy/mod.ts";
import type { ClientsDocument, ClientsSource, RejectionDocument, ServedConfig } from "../documents/mod.ts";

/** A replica with clients has said so by then: it writes at most every two seconds, and the leader sums up. */
const HEARD_MS = 5_000;
const MAX_REJECTIONS = 5;

/** The clients as the leading replica has counted them, with the words that the replicas have written down. */
export class CountedClients implements ClientsSource {
  readonly #clock: Pick<Clock, "monotonic">;
  /** Since when a publication is on offer, as far as was seen. */
  readonly #seen = new Map<string, { readonly publication: string; readonly at: number }>();

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
  }

  async of(config: ServedConfig): Promise<ClientsDocument | undefined> {
    const { uid, status: { publication, clients } } = config;
    if (publication === undefined) return undefined; // of a program that tells nothing of clients
    const since = this.#since(uid, publication);
    if (!clients) {
      const settled = this.#clock.monotonic() - since >= HEARD_MS; // nobody has said a word, and nobody will
      return { ...(settled && { publication }), ...NOBODY };
    }
    const { rejected, refusedData } = clients;
    const refused = rejected + refusedData > 0 ? await config.revision(publication.split("-")[0] ?? "") : undefined;
    return { publication, ...clients, rejections: rejectionsOf(refused, publication) };
  }

  /** Nobody writes down who asks for a node id that is none. */
  strays(): [] {
    return [];
  }

  #since(uid: string, publication: string): number {
    const before = this.#seen.get(uid);
    if (before?.publication === publication) return before.at;
    const at = this.#clock.monotonic();
    this.#seen.set(uid, { publication, at });
    return at;
  }
}

const NOBODY = { connected: 0, accepted: 0, rejected: 0, refusedData: 0, pending: 0, rejections: [] };

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
