import { DISCOVERY_SERVICE_CERTIFICATE } from "../../api/operator/mod.ts";
import { formatKey } from "../../base/mod.ts";
import { CertificateController, keySweep } from "../../reconcile/certificate/mod.ts";
import type { ControllerGroup } from "./group.ts";
import type { CertificateOptions } from "./options.ts";
import { replicaBundles } from "./replica_bundles.ts";
import { tellFailure } from "./tell_failure.ts";
import { webhookCertificate, webhookResources } from "./webhook_certificate.ts";

/** The controllers of certificates; wherever they run, one replica of all runs them. */
export function certificateGroup(options: CertificateOptions): ControllerGroup {
  return {
    name: "certificates",
    kinds: [DISCOVERY_SERVICE_CERTIFICATE],
    lease: "certificates.operator.marin3r.3scale.net",
    keepsSecrets: true,
    resources: webhookResources(options),
    open(parts) {
      const { store, connection, clock, log, metrics, leading, resyncMs } = parts;
      const webhook = webhookCertificate(options, parts);
      const means = { store, clock, leading, resyncMs, random: Math.random, onError: tellFailure(log) };
      const keyNamespace = parts.namespace;
      const certificates = new CertificateController({
        ...{ ...means, keyNamespace },
        randomBytes: (count) => crypto.getRandomValues(new Uint8Array(count)),
        strictIssuers: options.crossNamespaceIssuers === "strict",
        replicas: replicaBundles({ connection, clock, log }),
        onIssued(about) {
          metrics.count("chancery_certificates_issued_total", { namespace: about.namespace });
          log.info("A certificate was issued", { about: formatKey(about) });
        },
      });
      return {
        controllers: [
          { kind: "DiscoveryServiceCertificate", controller: certificates.controller },
          { kind: "Secret", controller: keySweep({ ...means, keyNamespace }) },
          ...webhook?.controllers ?? [],
        ],
        collect(metrics, now) {
          webhook?.collect?.(metrics, now);
          for (const { namespace, name, ready, notAfter, rotation } of certificates.told()) {
            const labels = { namespace, name };
            metrics.set("chancery_certificate_usable", labels, ready ? 1 : 0);
            if (notAfter !== undefined) {
              metrics.set("chancery_certificate_expiry_timestamp_seconds", labels, notAfter / 1000);
              metrics.set("chancery_certificate_expires_in_seconds", labels, (notAfter - now) / 1000);
            }
            if (!rotation) continue;
            const { phase, since } = rotation;
            metrics.set("chancery_certificate_rotation_phase_seconds", { ...labels, phase }, (now - since) / 1000);
          }
        },
      };
    },
  };
}
