/** What a file is to Envoy: a discovery response of one type (by its short name), or anything else. */
export type FileKind = typeof WRITE_ORDER[number];

/**
 * The order in which files are put in place: what others ask for comes before those who ask. Envoy refuses for good a source whose
 * file does not exist, and takes a file without the name it asks for as an answer (a listener then goes live without routes), so
 * unlike on a stream, where it waits, clusters and listeners come after what they name. Removals go the other way round.
 */
const WRITE_ORDER = ["other", "RTDS", "SDS", "EDS", "CDS", "ECDS", "RDS", "SRDS", "LDS"] as const;

/** Kinds whose resources send requests to clusters. */
export const USES_CLUSTERS: ReadonlySet<FileKind> = new Set<FileKind>(["ECDS", "RDS", "SRDS", "LDS"]);

/** Sorts users after what they use. */
export function byKind(a: FileKind, b: FileKind): number {
  return WRITE_ORDER.indexOf(a) - WRITE_ORDER.indexOf(b);
}
