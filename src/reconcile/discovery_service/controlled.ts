import {
  type DiscoveryService,
  discoveryServiceNames,
  discoveryServiceSettings,
  type DiscoveryServiceStatus,
  ownedLabels,
} from "../../api/operator/mod.ts";
import type { AlternativeNames } from "../../pki/mod.ts";
import type { SecretReadings } from "../certificate/secret_readings.ts";
import type { WatchedObject } from "../engine/object_source.ts";
import type { OwnedKind } from "../engine/owned_controller.ts";
import type { View } from "../engine/view.ts";
import type { DiscoveryServiceInput } from "./inputs.ts";
import { planDiscoveryService } from "./plan.ts";

const KIND = "DiscoveryService";

/** Kinds of which a DiscoveryService has some. */
const OWNED = [
  ...["DiscoveryServiceCertificate", "ServiceAccount", "Role", "RoleBinding"],
  ...["Service", "PodDisruptionBudget", "Deployment"],
] as const;

/** Options of {@linkcode discoveryServiceKind}. */
export interface DiscoveryServiceKindOptions {
  readonly now: () => number;
  /** The image of this program. */
  readonly image: string;
  readonly readings: SecretReadings;
}

/** How a DiscoveryService becomes what it is made of. */
export function discoveryServiceKind(
  { now, image, readings }: DiscoveryServiceKindOptions,
): OwnedKind<DiscoveryServiceInput, DiscoveryServiceStatus> {
  return {
    kind: KIND,
    watched: [...OWNED, "Secret", "ConfigMap"],
    async gather(found, view, others) {
      const object = found as WatchedObject & DiscoveryService; // by its kind
      const { name, namespace = "default" } = object.metadata;
      const names = discoveryServiceNames(name);
      const { server } = discoveryServiceSettings(object);
      const labels = ownedLabels("discovery-service", name);
      const bundle = view.get({ kind: "ConfigMap", namespace, name: names.bundle });
      return {
        now: now(),
        object,
        siblings: view.all(KIND, namespace)
          .filter(({ metadata }) => metadata.name !== name) as readonly (WatchedObject & DiscoveryService)[], // as above
        image,
        owned: [...OWNED.flatMap((kind) => view.labelled(kind, namespace, labels)), ...others],
        serverNames: await usableNames(server.secretName, { namespace, view, readings, now: now() }),
        bundle: holdsSomething(bundle),
      };
    },
    plan: planDiscoveryService,
  };
}

/** The names in the certificate of a Secret, if it can be used now. */
async function usableNames(
  name: string,
  { namespace, view, readings, now }: { namespace: string; view: View; readings: SecretReadings; now: number },
): Promise<AlternativeNames | undefined> {
  const secret = view.get({ kind: "Secret", namespace, name });
  const read = secret && await readings.of(secret);
  if (read?.reading.kind !== "pair" || !read.reading.keyMatches) return undefined;
  const [leaf] = read.reading.chain;
  return leaf.notBefore <= now && now < leaf.notAfter ? leaf.names : undefined;
}

function holdsSomething(bundle: WatchedObject | undefined): boolean {
  const data = (bundle?.data ?? {}) as Readonly<Record<string, string>>; // a ConfigMap, by its kind
  return (data["ca.crt"] ?? "") !== "";
}
