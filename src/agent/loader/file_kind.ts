/** What a file is to Envoy: a discovery response of one type (by its short name), or anything else. */
export type FileKind = typeof WRITE_ORDER[number];

/**
 * The order in which files are put in place: what others ask for comes before those who ask. Envoy takes a name that is missing
 * from a file that is there for an answer (a cluster then goes live without endpoints, a listener without routes), and refuses
 * a source whose file does not exist, so unlike on a stream the clusters do not go first. Removals go the other way round.
 */
export const WRITE_ORDER = ["other", "RTDS", "SDS", "EDS", "CDS", "ECDS", "RDS", "SRDS", "LDS"] as const;

/** Kinds whose resources send requests to clusters. */
export const USES_CLUSTERS: ReadonlySet<FileKind> = new Set<FileKind>(["ECDS", "RDS", "SRDS", "LDS"]);

/** Sorts users after what they use. */
export function byKind(a: FileKind, b: FileKind): number {
  return WRITE_ORDER.indexOf(a) - WRITE_ORDER.indexOf(b);
}
