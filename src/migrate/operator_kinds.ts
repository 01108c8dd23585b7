import {
  type DiscoveryService,
  type DiscoveryServiceCertificate,
  discoveryServiceSettings,
  type EnvoyDeployment,
  OPERATOR_ANNOTATIONS,
  OPERATOR_API_VERSION,
  OPERATOR_GROUP,
} from "../api/operator/mod.ts";
import { type KubeObject, objectTitle } from "../install/mod.ts";
import { byAge } from "../reconcile/engine/mod.ts";
import { CONFIGS } from "./configurations.ts";
import { counted } from "./counted.ts";
import type { Inventory } from "./inventory.ts";
import { kubectl, type Remark, remarkOn } from "./remark.ts";

/** What xDS servers are made of. */
export const SERVICES = { apiVersion: OPERATOR_API_VERSION, kind: "DiscoveryService" } as const;
/** Their certificates, and those of users. */
export const CERTIFICATES = { apiVersion: OPERATOR_API_VERSION, kind: "DiscoveryServiceCertificate" } as const;
/** What Envoys are made of. */
export const ENVOYS = { apiVersion: OPERATOR_API_VERSION, kind: "EnvoyDeployment" } as const;

type Of<T extends { readonly spec?: unknown }> = KubeObject & Partial<Pick<T, "spec">>;

/** What becomes of the objects of MARIN3R's operator. */
export function operatorKinds(inventory: Inventory): Remark[] {
  return [...services(inventory), ...certificates(inventory), ...envoys(inventory)];
}

/** Whether our operator has told about it already: MARIN3R's knew no conditions. */
function isTakenOver({ status }: KubeObject): boolean {
  const { conditions = [] } = (status ?? {}) as { conditions?: readonly unknown[] }; // of our kinds
  return conditions.length > 0;
}

function services(inventory: Inventory): Remark[] {
  const all = inventory.of<Of<DiscoveryService>>(SERVICES);
  const remarks = all.filter((service) => !isTakenOver(service)).map((service) => {
    const { replicas, findings: [problem] } = discoveryServiceSettings(service as unknown as DiscoveryService); // of its kind
    if (problem) {
      return remarkOn(service, "changes", { message: `nothing is made of it until it is mended: ${problem.message}` });
    }
    return remarkOn(service, "changes", {
      message:
        `its pods are made anew once, with ${
          counted(replicas, "replica")
        }; meanwhile Envoys keep the configuration they have. ` +
        "Its server certificate is issued anew if it lacks the names that Envoys dial; its CA stays",
    });
  });
  for (const sharing of Map.groupBy(all, ({ metadata }) => metadata.namespace).values()) {
    const [oldest, ...others] = byAge(sharing.map((object) => ({ object })));
    for (const { object } of others) {
      remarks.push(remarkOn(object, "changes", {
        message: `one DiscoveryService serves a namespace, the oldest; there is ${objectTitle(oldest!.object)}, too`,
      }));
    }
  }
  return remarks;
}

function certificates(inventory: Inventory): Remark[] {
  const all = inventory.of<Of<DiscoveryServiceCertificate>>(CERTIFICATES);
  const remarks = all.flatMap((certificate) => {
    const { metadata: { namespace }, spec } = certificate;
    const issuer = spec?.signer?.caSigned?.caSecretRef;
    if (spec?.validFor === 0) {
      return [
        remarkOn(certificate, "changes", {
          message: "validFor 0 is refused: a certificate has to be good for some time",
        }),
      ];
    }
    if (!issuer?.namespace || issuer.namespace === namespace) return [];
    return [remarkOn(certificate, "changes", {
      message:
        "it is signed by the CA of another namespace, which has to permit that; until then it goes on with a warning",
      next:
        `kubectl -n ${issuer.namespace} annotate secret ${issuer.name} ${OPERATOR_ANNOTATIONS.allowIssuingTo}=${namespace}`,
    })];
  });
  if (all.length > 0) {
    const message = `${counted(all.length, "certificate")} with their Secrets, renewed in time`;
    remarks.push({ weight: "stays", object: null, message, next: null });
  }
  return remarks;
}

/** Fields in which an image for our arguments has to stand, if any. */
const IMAGES = ["initManager", "shutdownManager"] as const;

function envoys(inventory: Inventory): Remark[] {
  return inventory.of<Of<EnvoyDeployment>>(ENVOYS).flatMap((envoy) =>
    IMAGES.filter((field) => envoy.spec?.[field]?.image?.includes("marin3r")).map((field) => {
      const patch = `[{"op":"remove","path":"/spec/${field}/image"}]`;
      const { name } = envoy.metadata;
      return remarkOn(envoy, "first", {
        message:
          `${field}.image names MARIN3R's, which does not know what Chancery tells it; without it Chancery's is taken`,
        next: kubectl(envoy, `patch envoydeployments.${OPERATOR_GROUP} ${name} --type=json -p '${patch}'`),
      });
    })
  ).concat(replacedPods(inventory));
}

function replacedPods(inventory: Inventory): Remark[] {
  const titles = new Set([...inventory.of(CONFIGS), ...inventory.of(SERVICES)].map(objectTitle));
  return inventory.of<Of<EnvoyDeployment>>(ENVOYS).filter((envoy) => !isTakenOver(envoy)).map((envoy) => {
    const { namespace } = envoy.metadata;
    const missing = [
      { ...CONFIGS, name: envoy.spec?.envoyConfigRef },
      { ...SERVICES, name: envoy.spec?.discoveryServiceRef },
    ].filter(({ apiVersion, kind, name = "" }) =>
      !titles.has(objectTitle({ apiVersion, kind, metadata: { name, ...(namespace !== undefined && { namespace }) } }))
    ).map(({ kind, name }) => `${kind} ${JSON.stringify(name ?? "")}`);
    if (missing.length > 0) {
      return remarkOn(envoy, "changes", {
        message: `its status will tell that there is no ${missing.join(" and no ")}`,
      });
    }
    return remarkOn(envoy, "changes", {
      message: "its pods are replaced one by one, by such with today's Envoy unless spec.image says otherwise",
    });
  });
}
