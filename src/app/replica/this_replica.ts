import { hostname } from "node:os";
import type { Candidate } from "../../store/kubernetes/lease/mod.ts";
import type { ServerHost } from "../process/mod.ts";
import { replicaName } from "./replica_name.ts";

/**
 * This replica, in this life of it.
 * @param asked the name that was asked for
 * @throws {ChanceryError} `invalid-input`
 */
export function thisReplica(asked: string | undefined, host: ServerHost): Candidate {
  return {
    name: replicaName({ asked, pod: host.env("POD_NAME"), host: hostname() }),
    bootId: crypto.randomUUID(),
  };
}
