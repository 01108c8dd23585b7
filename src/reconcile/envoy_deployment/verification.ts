import { type DiscoveryService, discoveryServiceNames } from "../../api/operator/mod.ts";
import type { WatchedObject } from "../engine/object_source.ts";

/** Whether Envoys verify their server, or whether it is too early to say. */
export type Verification =
  | { readonly kind: "by-bundle"; readonly bundle: string }
  | { readonly kind: "none" }
  | { readonly kind: "wait"; readonly message: string; readonly until: number | undefined };

/** A certificate without the name is replaced in no time unless it is a user's own. In milliseconds. */
const PATIENCE_MS = 600_000;

/**
 * How the Envoys of a DiscoveryService are started. Pods that were made to verify go on verifying. Those of a discovery service
 * that is just being made, or taken over, wait for it, so that they are not started twice; only where the certificate stays
 * without the name, because it is a user's own, there is nothing to verify (S1).
 */
export function verificationOf(
  service: DiscoveryService,
  { live, now }: { live: WatchedObject | undefined; now: number },
): Verification {
  const bundle = discoveryServiceNames(service.metadata.name).bundle;
  const told = service.status?.conditions?.find(({ type }) => type === "ServerVerifiable");
  if (told?.status === "True" || verifiesAlready(live, bundle)) return { kind: "by-bundle", bundle };
  const message = told?.message ?? `DiscoveryService "${service.metadata.name}" is being made`;
  if (told?.reason !== "NamesMissing") return { kind: "wait", message, until: undefined };
  const until = Date.parse(told.lastTransitionTime) + PATIENCE_MS;
  return now < until ? { kind: "wait", message, until } : { kind: "none" };
}

function verifiesAlready(live: WatchedObject | undefined, bundle: string): boolean {
  const spec = live?.spec as { template?: { spec?: { volumes?: readonly Volume[] } } } | undefined; // by its kind
  return spec?.template?.spec?.volumes?.some(({ projected }) =>
    projected?.sources?.some(({ configMap }) => configMap?.name === bundle)
  ) ?? false;
}

interface Volume {
  readonly projected?: { readonly sources?: readonly { readonly configMap?: { readonly name?: string } }[] };
}
