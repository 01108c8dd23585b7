import type { Ground } from "./ground.ts";

/** A line of the API server's audit log, as far as it is looked at. */
interface AuditLine {
  readonly verb: string;
  readonly user: { readonly username: string };
  readonly objectRef?: { readonly resource: string; readonly namespace?: string; readonly name?: string };
  readonly stage: string;
}

const READS: ReadonlySet<string> = new Set(["get", "list", "watch"]);

/** What an operator has written in its namespace so far, apart from its Leases: `patch deployments/marin3r-ds`, in order. */
export async function writesIn({ cluster, namespace }: Ground): Promise<string[]> {
  const lines = (await Deno.readTextFile(cluster.auditLog)).split("\n").filter((line) => line.includes(namespace));
  return lines.map((line) => JSON.parse(line) as AuditLine)
    .filter(({ verb, user, objectRef, stage }) =>
      stage === "ResponseComplete" && !READS.has(verb) && objectRef?.namespace === namespace &&
      objectRef.resource !== "leases" && user.username === `system:serviceaccount:${namespace}:operator`
    )
    .map(({ verb, objectRef }) => `${verb} ${objectRef?.resource}/${objectRef?.name}`);
}
