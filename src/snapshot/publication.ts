/**
 * A version that is published. After a refusal a client may claim, when it reconnects, to hold versions that it does not:
 * it applied a part of what it refused. So what is published then is told under versions that nobody has been told before;
 * Envoy itself skips what has not changed.
 */
export interface Publication {
  /** Of the revision. */
  readonly version: string;
  /** How often something was published after a refusal; the same on every replica. */
  readonly rollbackCount: number;
}

/** `<version>`, or `<version>-r<n>` after refusals: the revision of the snapshot, and the name under which clients report. */
export function publicationId({ version, rollbackCount }: Publication): string {
  return rollbackCount === 0 ? version : `${version}-r${rollbackCount}`;
}

/** The inverse of {@linkcode publicationId}. */
export function parsePublication(id: string): Publication {
  const match = /^(.*)-r(\d+)$/.exec(id);
  return match ? { version: match[1]!, rollbackCount: Number(match[2]) } : { version: id, rollbackCount: 0 };
}

/** The version of one resource as clients are told it. */
export function versionOnWire(contentVersion: string, { rollbackCount }: Publication): string {
  return rollbackCount === 0 ? contentVersion : `${contentVersion}-r${rollbackCount}`;
}
