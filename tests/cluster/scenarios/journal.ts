/**
 * What happened to the EnvoyConfigs and revisions of a namespace and in which order, told in short sentences from the API server's own
 * audit log: what was really written and by whom, not what a program says of itself.
 * @module
 */
import type { EnvoyConfigStatus } from "../../../src/api/mod.ts";
import type { ControlPlane } from "../control_plane/mod.ts";

/** A successful write to an EnvoyConfig or a revision. */
export interface Write {
  readonly at: string;
  readonly user: string;
  readonly fieldManager: string | null;
  readonly resource: "envoyconfigs" | "envoyconfigrevisions";
  readonly name: string;
  readonly verb: "create" | "update" | "patch" | "delete";
  readonly created: boolean;
  /** The status that was written; absent when something else was. */
  readonly status?: WrittenStatus;
}

/** The status of either kind, as far as it is looked at. */
interface WrittenStatus
  extends Pick<EnvoyConfigStatus, "cacheState" | "publishedVersion" | "acknowledgedVersion" | "conditions"> {
  readonly published?: boolean;
  readonly tainted?: boolean;
  /** In a revision by replica. */
  readonly clients?: Readonly<Record<string, { rejected: number; accepted: number; connected: number }>>;
}

interface AuditEvent {
  readonly requestURI: string;
  readonly verb: Write["verb"];
  readonly user: { readonly username: string };
  readonly objectRef?: {
    readonly resource: string;
    readonly namespace?: string;
    readonly name?: string;
    readonly subresource?: string;
  };
  readonly responseStatus: { readonly code: number };
  readonly requestObject?: unknown;
  readonly stageTimestamp: string;
}

/** All writes to both kinds in a namespace, oldest first; dry runs and refused ones are no writes. */
export async function writesIn(cluster: ControlPlane, namespace: string): Promise<Write[]> {
  const lines = (await Deno.readTextFile(cluster.auditLog)).split("\n").filter((line) => line.includes(namespace));
  const events = lines.map((line) => JSON.parse(line) as AuditEvent); // the API server's own format
  return events.filter(({ objectRef, requestURI, responseStatus }) =>
    objectRef?.namespace === namespace && responseStatus.code < 300 && !requestURI.includes("dryRun") &&
    (objectRef.resource === "envoyconfigs" || objectRef.resource === "envoyconfigrevisions")
  ).map(({ objectRef, requestURI, responseStatus, requestObject, user, verb, stageTimestamp }) => ({
    at: stageTimestamp,
    user: user.username,
    fieldManager: new URL(requestURI, "https://any").searchParams.get("fieldManager"),
    resource: objectRef!.resource as Write["resource"], // filtered above
    name: objectRef!.name ?? "",
    verb,
    created: responseStatus.code === 201,
    ...(objectRef!.subresource === "status" ? { status: statusIn(requestObject) } : {}),
  }));
}

/** The status in what was sent: an object, or a JSON patch that puts a whole one in place. */
function statusIn(sent: unknown): WrittenStatus {
  const patch = Array.isArray(sent) ? sent.find(({ path }) => path === "/status")?.value : undefined;
  return patch ?? (sent as { status?: object })?.status ?? {};
}

/**
 * The writes as sentences, one for each thing that became different: `config applied`, `A made`, `A published`, `config InSync A`,
 * `A accepted by Envoys`, `A acknowledged`. Versions are called A, B, … in the order in which they came up.
 */
export function storyOf(writes: readonly Write[]): string[] {
  const told: string[] = [];
  const letters = new Map<string, string>();
  const last = new Map<string, { state?: string; published?: boolean; tainted?: boolean; acknowledged?: string }>();
  const verdicts = new Map<string, string>();
  const letter = (version: string) => {
    if (!letters.has(version)) letters.set(version, String.fromCharCode(65 + letters.size));
    return letters.get(version)!;
  };
  for (const { resource, name, verb, created, status, fieldManager } of writes) {
    const before = last.get(name) ?? {};
    if (resource === "envoyconfigs") {
      if (!status) told.push(`config ${verb === "delete" ? "deleted" : "applied"}`);
      else {
        const { cacheState = "", publishedVersion = "", acknowledgedVersion, conditions = [] } = status;
        const failing = conditions.filter(({ type, status }) =>
          (type === "CacheOutOfSync" || type === "RollbackFailed") && status === "True"
        ).map(({ type }) => type).sort();
        const state = [cacheState, publishedVersion && letter(publishedVersion), ...failing].filter(Boolean).join(" ");
        if (state !== before.state) told.push(`config ${state}`);
        if (acknowledgedVersion !== undefined && acknowledgedVersion !== before.acknowledged) {
          told.push(`${letter(acknowledgedVersion)} acknowledged`);
        }
        last.set(name, { state, ...(acknowledgedVersion === undefined ? {} : { acknowledged: acknowledgedVersion }) });
      }
      continue;
    }
    const version = letter(name.slice(name.lastIndexOf("-") + 1));
    if (verb === "delete") told.push(`${version} deleted`);
    else if (created) told.push(`${version} made`);
    else if (fieldManager?.startsWith("chancery-clients-")) {
      for (const { rejected, accepted, connected } of Object.values(status?.clients ?? {})) {
        const verdict = rejected > 0 ? "refused" : connected > 0 && accepted === connected ? "accepted" : undefined;
        if (verdict === undefined || verdicts.get(version) === verdict) continue;
        verdicts.set(version, verdict);
        told.push(`${version} ${verdict} by Envoys`);
      }
    } else if (status) {
      const { published = false, tainted = false } = status;
      if (tainted !== (before.tainted ?? false)) told.push(`${version} ${tainted ? "tainted" : "clean"}`);
      if (published !== (before.published ?? false)) {
        told.push(`${version} ${published ? "published" : "unpublished"}`);
        verdicts.delete(version);
      }
      last.set(name, { published, tainted });
    }
  }
  return told;
}

/** The numbers of revisions that were marked as published after each write, from the first that was. */
export function publishedCounts(writes: readonly Write[]): number[] {
  const published = new Set<string>();
  const counts: number[] = [];
  for (const { resource, name, verb, status, fieldManager } of writes) {
    if (resource !== "envoyconfigrevisions" || fieldManager?.startsWith("chancery-clients-")) continue;
    if (verb === "delete" || status?.published === false) published.delete(name);
    else if (status?.published) published.add(name);
    if (published.size > 0 || counts.length > 0) counts.push(published.size);
  }
  return counts;
}
