import { ChanceryError } from "../../base/mod.ts";

/** What is left of the 253 characters of a Lease's name, and of the 128 of a field manager's. */
const MAX_LENGTH = 100;

/**
 * The name of this replica: what was asked for, the pod's name, or the machine's. It becomes part of the names of objects, so one
 * that was asked for must fit; a machine's name is made to.
 * @throws {ChanceryError} `invalid-input`
 */
export function replicaName({ asked, pod, host }: {
  readonly asked: string | undefined;
  /** `POD_NAME`. */
  readonly pod: string | undefined;
  readonly host: string;
}): string {
  const wanted = asked ?? (pod || undefined);
  if (wanted === undefined) return fitting(host);
  if (wanted.length <= MAX_LENGTH && /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/.test(wanted)) return wanted;
  throw new ChanceryError(
    "invalid-input",
    `Cannot use replica name ${
      JSON.stringify(wanted)
    }: up to ${MAX_LENGTH} lower-case letters, digits, "-" and "." are allowed`,
  );
}

function fitting(host: string): string {
  const name = host.toLowerCase().replace(/[^a-z0-9.-]+/g, "-").slice(0, MAX_LENGTH).replace(/^[.-]+|[.-]+$/g, "");
  return name === "" ? "replica" : name;
}
