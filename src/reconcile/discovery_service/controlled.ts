import {
  certificateSettings,
  type DiscoveryService,
  type DiscoveryServiceCertificate,
  discoveryServiceNames,
  type DiscoveryServiceSettings,
  discoveryServiceSettings,
  type DiscoveryServiceStatus,
  OPERATOR_ANNOTATIONS,
  ownedLabels,
} from "../../api/operator/mod.ts";
import type { CertificateFacts } from "../../pki/mod.ts";
import type { SecretReadings } from "../certificate/secret_readings.ts";
import type { WatchedObject } from "../engine/object_source.ts";
import type { OwnedKind } from "../engine/owned_controller.ts";
import type { View } from "../engine/view.ts";
import { isRuleDue } from "./client_rule.ts";
import type { ClientCertificate, DiscoveryServiceInput } from "./inputs.ts";
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
    watched: [...OWNED, "Secret", "ConfigMap", "EnvoyConfig"],
    async gather(found, view, others) {
      const object = found as WatchedObject & DiscoveryService; // by its kind
      const { name, namespace = "default" } = object.metadata;
      const names = discoveryServiceNames(name);
      const settings = discoveryServiceSettings(object);
      const labels = ownedLabels("discovery-service", name);
      const bundle = view.get({ kind: "ConfigMap", namespace, name: names.bundle });
      const deployment = view.get({ kind: "Deployment", namespace, name: names.workload });
      const owned = [...OWNED.flatMap((kind) => view.labelled(kind, namespace, labels)), ...others];
      const means = { view, readings, now: now() };
      return {
        now: means.now,
        object,
        siblings: view.all(KIND, namespace)
          .filter(({ metadata }) => metadata.name !== name) as readonly (WatchedObject & DiscoveryService)[], // as above
        image,
        owned,
        serverNames: (await usableLeaf({ namespace, name: settings.server.secretName }, means))?.names,
        bundle: holdsSomething(bundle),
        nodeIds: hasNodeCertificates(settings, owned) ? nodeIdsIn(namespace, view) : [],
        clients: isRuleDue(object, { settings, live: deployment }) ? await clientsOf(object, means) : [],
      };
    },
    plan: planDiscoveryService,
  };
}

/** What facts are gathered with. */
interface Means {
  readonly view: View;
  readonly readings: SecretReadings;
  readonly now: number;
}

/** The certificate of a Secret, if it can be used now. */
async function usableLeaf(
  { namespace, name }: { namespace: string; name: string },
  { view, readings, now }: Means,
): Promise<CertificateFacts | undefined> {
  const secret = view.get({ kind: "Secret", namespace, name });
  const read = secret && await readings.of(secret);
  if (read?.reading.kind !== "pair" || !read.reading.keyMatches) return undefined;
  const [leaf] = read.reading.chain;
  return leaf.notBefore <= now && now < leaf.notAfter ? leaf : undefined;
}

/** Whether it matters which node ids there are: each has a certificate, or had. */
function hasNodeCertificates(
  { clientAuthorization }: DiscoveryServiceSettings,
  owned: readonly WatchedObject[],
): boolean {
  return clientAuthorization === "NodeID" ||
    owned.some(({ metadata }) => metadata.annotations?.[OPERATOR_ANNOTATIONS.nodeId] !== undefined);
}

function nodeIdsIn(namespace: string, view: View): string[] {
  const ids = view.all("EnvoyConfig", namespace).map((config) => {
    return (config as { spec?: { nodeID?: string } }).spec?.nodeID ?? ""; // by its kind
  });
  return [...new Set(ids)].filter((id) => id !== "" && id.isWellFormed()); // what is neither no certificate can name
}

/** The client certificates that the CA of a discovery service signs in its namespace, whoever asked for them. */
async function clientsOf(object: DiscoveryService, means: Means): Promise<ClientCertificate[]> {
  const { namespace = "default" } = object.metadata;
  const { ca } = discoveryServiceSettings(object);
  const certificates = means.view.all("DiscoveryServiceCertificate", namespace).map((one) => {
    const certificate = one as WatchedObject & DiscoveryServiceCertificate; // by its kind
    return { name: one.metadata.name, ...certificateSettings(certificate) };
  });
  const clients = certificates.filter(({ isCA, server, issuer }) =>
    !isCA && !server && issuer?.name === ca.secretName && issuer.namespace === namespace
  );
  return await Promise.all(clients.map(async ({ name, secretName }) => {
    return { name, uris: (await usableLeaf({ namespace, name: secretName }, means))?.names.uris };
  }));
}

function holdsSomething(bundle: WatchedObject | undefined): boolean {
  const data = (bundle?.data ?? {}) as Readonly<Record<string, string>>; // a ConfigMap, by its kind
  return (data["ca.crt"] ?? "") !== "";
}
