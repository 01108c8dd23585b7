import type { ControlPlane } from "../control_plane/mod.ts";
import type { Ground } from "./ground.ts";

/** A line of the API server's audit log, as far as it is looked at. */
interface AuditLine {
  readonly verb: string;
  readonly user: { readonly username: string };
  readonly objectRef?: { readonly resource: string; readonly namespace?: string; readonly name?: string };
  readonly stage: string;
  readonly responseStatus?: { readonly code: number };
}

const READS: ReadonlySet<string> = new Set(["get", "list", "watch"]);

/** What an operator has written in its namespace so far, apart from its Leases: `patch deployments/marin3r-ds`, in order. */
export async function writesIn({ cluster, namespace }: Ground): Promise<string[]> {
  const lines = (await Deno.readTextFile(cluster.auditLog)).split("\n").filter((line) => line.includes(namespace));
  return lines.map((line) => JSON.parse(line) as AuditLine)
    .filter((line) => isWriteOf(accountIn(namespace), line) && line.objectRef?.namespace === namespace)
    .map(({ verb, objectRef }) => `${verb} ${objectRef?.resource}/${objectRef?.name}`);
}

/** All that the operator of a ground has written in all namespaces, read as the log grows. */
export class OperatorWrites {
  readonly #path: string;
  readonly #account: string;
  readonly #writes: string[] = [];
  readonly #decoder = new TextDecoder();
  #offset = 0;
  #rest = "";

  constructor(cluster: ControlPlane, { namespace }: Ground) {
    this.#path = cluster.auditLog;
    this.#account = accountIn(namespace);
  }

  /** `patch deployments NAMESPACE/NAME`, in order. */
  async soFar(): Promise<readonly string[]> {
    using file = await Deno.open(this.#path);
    await file.seek(this.#offset, Deno.SeekMode.Start);
    const bytes = new Uint8Array(await new Response(file.readable).arrayBuffer());
    this.#offset += bytes.length;
    const lines = (this.#rest + this.#decoder.decode(bytes, { stream: true })).split("\n");
    this.#rest = lines.pop() ?? "";
    for (const line of lines.filter((line) => line.includes(this.#account))) {
      const read = JSON.parse(line) as AuditLine;
      if (!isWriteOf(this.#account, read)) continue;
      const { resource, namespace, name } = read.objectRef ?? {};
      this.#writes.push(`${read.verb} ${resource} ${namespace}/${name}`);
    }
    return this.#writes;
  }
}

function accountIn(namespace: string): string {
  return `system:serviceaccount:${namespace}:operator`;
}

/** What was refused is none. */
function isWriteOf(account: string, { verb, user, objectRef, stage, responseStatus }: AuditLine): boolean {
  return stage === "ResponseComplete" && !READS.has(verb) && objectRef?.resource !== "leases" &&
    user.username === account && (responseStatus?.code ?? 0) < 300;
}
