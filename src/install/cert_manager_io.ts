import type { KubeObject } from "./kube_object.ts";
import { installLabels, partName, WEBHOOK_SECRET } from "./names.ts";
import type { InstallOptions } from "./options.ts";

const API_VERSION = "cert-manager.io/v1";

/** The certificate of the webhook as cert-manager.io makes it: signed by itself, which is all that the API server asks for. */
export function certManagerObjects({ namespace }: InstallOptions): KubeObject[] {
  const name = partName("webhook");
  const metadata = { name, namespace, labels: installLabels("webhook") };
  return [
    { apiVersion: API_VERSION, kind: "Issuer", metadata, spec: { selfSigned: {} } },
    {
      apiVersion: API_VERSION,
      kind: "Certificate",
      metadata,
      spec: {
        secretName: WEBHOOK_SECRET,
        dnsNames: [`${name}.${namespace}.svc`, `${name}.${namespace}.svc.cluster.local`],
        privateKey: { algorithm: "ECDSA", size: 256, rotationPolicy: "Always" },
        issuerRef: { kind: "Issuer", name },
      },
    },
  ];
}

/** What tells cert-manager.io to keep the `caBundle` of webhook configurations. */
export function injectedBy({ namespace }: InstallOptions): Readonly<Record<string, string>> {
  return { "cert-manager.io/inject-ca-from": `${namespace}/${partName("webhook")}` };
}
