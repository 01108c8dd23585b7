import {
  type DiscoveryServiceCertificate,
  KEY_LABELS,
  nextSecretOf,
  OPERATOR_ANNOTATIONS,
} from "../../api/operator/mod.ts";
import type { KubeObject } from "../../install/mod.ts";
import type { Inventory } from "../inventory.ts";
import { CERTIFICATES } from "../operator_kinds.ts";
import { kubectl, type Remark, remarkOn } from "../remark.ts";

/** Secrets with the keys of CAs, which lie apart from their certificates; what is in them is not read. */
export const KEYS = {
  apiVersion: "v1",
  kind: "Secret",
  label: Object.entries(KEY_LABELS).map(([name, value]) => `${name}=${value}`).join(","),
  metadataOnly: true,
} as const;

type Certificate = KubeObject & Partial<Pick<DiscoveryServiceCertificate, "spec" | "status">>;

/** CAs that are being changed, of which MARIN3R would trust one only. */
export function unfinishedChanges(inventory: Inventory): Remark[] {
  return inventory.of<Certificate>(CERTIFICATES).flatMap((certificate) => {
    const { phase = "Stable" } = certificate.status?.rotation ?? {};
    if (phase === "Stable") return [];
    const { namespace, name } = certificate.metadata;
    return [remarkOn(certificate, "first", {
      message: `this CA is being changed (${phase}), and MARIN3R trusts one at a time: wait until it is Stable`,
      next: `chancery certs ${name}${namespace === undefined ? "" : ` -n ${namespace}`}`,
    })];
  });
}

/** CAs whose keys MARIN3R looks for beside them, and could sign nothing without. */
export function keysElsewhere(inventory: Inventory): Remark[] {
  const certificates = inventory.of<Certificate>(CERTIFICATES);
  return inventory.of(KEYS).filter(isKey).flatMap((secret) => {
    const of = secret.metadata.annotations?.[OPERATOR_ANNOTATIONS.certificate];
    const certificate = certificates.find(({ metadata: { namespace = "default", name } }) =>
      `${namespace}/${name}` === of
    );
    if (!certificate || secret.metadata.name.endsWith(nextSecretOf(""))) return [];
    return [remarkOn(certificate, "first", {
      message: "its key lies where MARIN3R does not look for it, and client certificates end after two days",
      next: putBack(secret, certificate),
    })];
  });
}

function isKey({ metadata: { labels = {} } }: KubeObject): boolean {
  return Object.entries(KEY_LABELS).every(([name, value]) => labels[name] === value);
}

/** From Secret to Secret: the key shows in no argument and on no screen. */
function putBack(secret: KubeObject, certificate: Certificate): string {
  const patch = `{"metadata":{"annotations":{"${OPERATOR_ANNOTATIONS.keyIn}":null}},` +
    `"data":{"tls.key":"{{index .data "tls.key"}}"}}`;
  const { name } = secret.metadata;
  const beside = certificate.spec?.secretRef?.name ?? certificate.metadata.name;
  return `${kubectl(secret, `get secret ${name} -o go-template='${patch}'`)} | ` +
    `${kubectl(certificate, `patch secret ${beside} --patch-file /dev/stdin`)} && ` +
    kubectl(secret, `delete secret ${name}`);
}
