import type { ClientsDocument, ConfigDocument, RollbackAnswer } from "../../app/documents/mod.ts";
import { envoys, wordsOf } from "../status/problems.ts";

/** How far a rollback is, or what became of it. */
export type Progress =
  | { readonly kind: "waiting"; readonly message: string; readonly publication?: string }
  | { readonly kind: "accepted"; readonly message: string; readonly publication: string }
  | { readonly kind: "refused"; readonly message: string; readonly publication?: string };

/** Looks at an EnvoyConfig after a rollback was asked for. */
export function rollbackProgress(config: ConfigDocument, asked: RollbackAnswer): Progress {
  const { status } = config;
  const seen = asked.pin !== undefined
    ? status.pin?.value === asked.pin
    : asked.retry === undefined || status.observedRetry === asked.retry; // undefined: nothing was left to be tried
  if (!seen) return { kind: "waiting", message: "the server has not seen it yet" };
  const stopped = asked.pin !== undefined ? pinFailure(config) : retryFailure(config);
  if (stopped !== undefined) return { kind: "refused", message: stopped };
  const { publication } = status;
  const { clients } = config;
  if (publication === undefined || clients?.publication !== publication) {
    return { kind: "waiting", message: "it is not on offer yet" };
  }
  return { ...clientsProgress(clients), publication };
}

function pinFailure({ status: { pin, conditions = [] }, refusal }: ConfigDocument): string | undefined {
  if (pin?.ended) return "the pin has ended already: the spec was changed";
  const pinned = conditions.find(({ type }) => type === "Pinned");
  if (pinned?.status !== "False") return undefined;
  return refusal && pinned.reason === "VersionTainted" ? `${pinned.message}: ${refusal.message}` : pinned.message;
}

function retryFailure({ status: { cacheState, conditions = [] }, refusal }: ConfigDocument): string | undefined {
  if (cacheState === "InSync") return undefined;
  const told = refusal?.message ?? conditions.find(({ type }) => type === "CacheOutOfSync")?.message;
  return told ?? "it is not what is served";
}

function clientsProgress(clients: ClientsDocument): { readonly kind: Progress["kind"]; readonly message: string } {
  const { connected, accepted, rejected, refusedData, pending, rejections, holds = [] } = clients;
  if (rejected + refusedData > 0 && pending === 0) {
    const message = `${rejected + refusedData} of ${envoys(connected)} refused it${wordsOf(rejections)}`;
    return { kind: "refused", message };
  }
  if (accepted === connected) {
    const message = connected === 0
      ? "no Envoy is connected; those that come get it"
      : connected === 1
      ? "the Envoy accepted it"
      : `${connected === 2 ? "both" : `all ${connected}`} Envoys accepted it`;
    return { kind: "accepted", message };
  }
  const waiting = holds.map(({ type, waitingFor }) => `${type} waits for ${waitingFor}`).slice(0, 3).join("; ");
  return {
    kind: "waiting",
    message: `${accepted} of ${envoys(connected)} accepted it${waiting === "" ? "" : ` (${waiting})`}`,
  };
}
