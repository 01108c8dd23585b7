import { type DiscoveryService, type EnvoyDeployment, OPERATOR_GROUP } from "../../api/operator/mod.ts";
import type { KubeObject } from "../../install/mod.ts";
import { CONFIGS, REVISIONS } from "../configurations.ts";
import { counted } from "../counted.ts";
import type { Inventory } from "../inventory.ts";
import { CERTIFICATES, ENVOYS, SERVICES } from "../operator_kinds.ts";
import { kubectl, type Remark, remarkOn } from "../remark.ts";
import { EARLIER_KINDS } from "./earlier_specs.ts";
import { readByEarlier } from "./read_by_earlier.ts";

/** Most fields that one remark names. */
const MAX_NAMED = 8;

type Of<T extends { readonly spec?: unknown }> = KubeObject & Partial<Pick<T, "spec">>;

/** Envoys that run in a way that MARIN3R does not know, and have to move while our operator is there to see to it. */
export function movingEnvoys(inventory: Inventory): Remark[] {
  return inventory.of<Of<EnvoyDeployment>>(ENVOYS).filter(({ spec }) => spec?.workload === "DaemonSet").map((envoy) =>
    remarkOn(envoy, "first", {
      message: "MARIN3R makes Deployments only: let Chancery move the Envoys there, and wait until it has",
      next: kubectl(
        envoy,
        `patch envoydeployments.${OPERATOR_GROUP} ${envoy.metadata.name} --type=json ` +
          `-p '[{"op":"remove","path":"/spec/workload"}]'`,
      ),
    })
  );
}

/** What MARIN3R's CRDs make of what users have written. What an operator makes it writes anew. */
export function fieldsLost(inventory: Inventory): Remark[] {
  return Object.values(EARLIER_KINDS).flatMap(({ apiVersion, kind, spec: schema }) =>
    inventory.of<{ readonly spec?: unknown }>({ apiVersion, kind }).filter(isWrittenByUsers).flatMap((object) => {
      const { dropped, refused } = readByEarlier(object.spec ?? {}, schema, "spec");
      return [
        ...refused.length === 0 ? [] : [remarkOn(object, "first", {
          message: `MARIN3R's CRD does not take ${named(refused)}: nothing about it could be written any more`,
        })],
        ...dropped.length === 0 ? [] : [remarkOn(object, "changes", {
          message: `MARIN3R does not know ${named(dropped)}: with its CRD this is dropped`,
        })],
      ];
    })
  );
}

/** What MARIN3R's operator does to what runs. */
export function madeAnew(inventory: Inventory): Remark[] {
  const services = inventory.of<Of<DiscoveryService>>(SERVICES).map((service) =>
    remarkOn(service, "changes", {
      message: "its pods end, and one of MARIN3R's comes; meanwhile Envoys keep the configuration they have. Client " +
        "certificates that Chancery has issued are issued anew, by the same CA",
    })
  );
  const envoys = inventory.of<Of<EnvoyDeployment>>(ENVOYS).map((envoy) =>
    remarkOn(envoy, "changes", {
      message: `its pods are replaced one by one, by such with ${
        envoy.spec?.image ? "the Envoy of spec.image" : "the Envoy that MARIN3R names"
      }, which do not verify the discovery service`,
    })
  );
  return [...services, ...envoys];
}

/** What nobody has to think about. */
export function keptObjects(inventory: Inventory): Remark[] {
  const configs = inventory.of(CONFIGS).length;
  const revisions = inventory.of(REVISIONS).length;
  const certificates = inventory.of(CERTIFICATES).length;
  const stays = (message: string): Remark => ({ weight: "stays", object: null, message, next: null });
  return [
    ...configs === 0 ? [] : [stays(`${counted(configs, "EnvoyConfig")} and ${counted(revisions, "revision")}`)],
    ...certificates === 0 ? [] : [stays(`${counted(certificates, "certificate")} with their Secrets`)],
  ];
}

function isWrittenByUsers({ metadata, kind }: KubeObject): boolean {
  const { ownerReferences = [] } = metadata as { ownerReferences?: readonly { readonly controller?: boolean }[] };
  return kind !== REVISIONS.kind && !ownerReferences.some(({ controller }) => controller);
}

function named(paths: readonly string[]): string {
  const more = paths.length > MAX_NAMED ? ` and ${paths.length - MAX_NAMED} more` : "";
  return `${paths.slice(0, MAX_NAMED).join(", ")}${more}`;
}
