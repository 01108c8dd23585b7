import { ChanceryError, type Clock, errorMessage } from "../../base/mod.ts";
import {
  type FoundReplica,
  WebhookCertificateController,
  type WebhookCertificatePlan,
  type WebhookCertificateStep,
} from "../../reconcile/webhook_certificate/mod.ts";
import type { KubeConnection, Resource } from "../../store/kubernetes/mod.ts";
import { ReplicaReports, SERVED_CERTIFICATE_ANNOTATION } from "../../store/kubernetes/lease/mod.ts";
import type { Logger } from "../../telemetry/mod.ts";
import type { GroupParts, OpenGroup } from "./group.ts";
import type { WebhookCertificateOptions } from "./options.ts";
import { tellFailure } from "./tell_failure.ts";

const REQUEST_MS = 5_000;
/** Longer than the pause between two looks. */
const FORGET_AFTER_MS = 60_000;

/** What the API server asks a webhook about: the two objects that are named, and no others. */
export function webhookResources(
  { webhookService, webhookMutatingConfiguration, webhookValidatingConfiguration }: WebhookCertificateOptions,
): readonly Resource[] {
  if (webhookService === undefined) return [];
  return [
    {
      kind: "MutatingWebhookConfiguration",
      plural: "mutatingwebhookconfigurations",
      named: webhookMutatingConfiguration,
    },
    {
      kind: "ValidatingWebhookConfiguration",
      plural: "validatingwebhookconfigurations",
      named: webhookValidatingConfiguration,
    },
  ].map((names) => ({ ...names, apiVersion: "admissionregistration.k8s.io/v1", clusterScoped: true }));
}

/** The controller of the webhook's certificate, as part of a group; none where no webhook is named. */
export function webhookCertificate(options: WebhookCertificateOptions, parts: GroupParts): OpenGroup | undefined {
  const { webhookService: name, webhookSecret: secret } = options;
  if (name === undefined) return undefined;
  const { store, connection, clock, leading, metrics, namespace } = parts;
  const about = { namespace, name: secret };
  const log = parts.log.with({ secret: `${namespace}/${secret}` });
  let since = clock.monotonic();
  let phase: WebhookCertificatePlan["phase"] | undefined;
  const controller = new WebhookCertificateController({
    place: {
      service: { namespace, name },
      secret,
      configurations: {
        mutating: options.webhookMutatingConfiguration,
        validating: options.webhookValidatingConfiguration,
      },
    },
    ...{ store, clock, leading, retireMs: options.webhookRetireDelay },
    serverTime: () => serverTime(connection, clock),
    replicas: webhookReplicas({ connection, clock, log, namespace, service: name }),
    random: Math.random,
    randomBytes: (count) => crypto.getRandomValues(new Uint8Array(count)),
    onStep(step) {
      if (step.do === "issue") metrics.count("chancery_certificates_issued_total", { namespace });
      tellStep(step, log);
    },
    onPlan(plan) {
      if (plan.phase !== phase) since = clock.monotonic();
      phase = plan.phase;
      tellPlan(plan, log);
    },
    onError: tellFailure(log),
  });
  return {
    controllers: [{ kind: "WebhookCertificate", controller }],
    collect(metrics, now) {
      const { plan } = controller;
      if (!plan || plan.leftTo !== undefined) return;
      const { certificate } = plan;
      const usable = certificate !== undefined && certificate.notBefore <= now && now < certificate.notAfter;
      metrics.set("chancery_certificate_usable", about, usable ? 1 : 0);
      if (certificate) {
        metrics.set("chancery_certificate_expiry_timestamp_seconds", about, certificate.notAfter / 1000);
        metrics.set("chancery_certificate_expires_in_seconds", about, (certificate.notAfter - now) / 1000);
      }
      if (plan.phase === "None") return;
      const age = (clock.monotonic() - since) / 1000;
      metrics.set("chancery_certificate_rotation_phase_seconds", { ...about, phase: plan.phase }, age);
    },
  };
}

/**
 * The time of the API server, in milliseconds: it is the one that takes a certificate for valid or not, so that a wrong clock here
 * changes nothing. Our own where it does not say.
 */
async function serverTime(connection: Pick<KubeConnection, "request">, clock: Pick<Clock, "now">): Promise<number> {
  const response = await connection.request("/version", {
    timeoutMs: REQUEST_MS,
    doing: "ask the API server the time",
  });
  await response.body?.cancel();
  const time = Date.parse(response.headers.get("date") ?? "");
  return Number.isNaN(time) ? clock.now() : time;
}

/** Asks the replicas of the webhook, by their Leases, which certificate they show. */
function webhookReplicas({ connection, clock, log, namespace, service }: {
  connection: KubeConnection;
  clock: Clock;
  log: Logger;
  namespace: string;
  service: string;
}): () => Promise<readonly FoundReplica[] | undefined> {
  const reports = new ReplicaReports({
    ...{ connection, clock, timeoutMs: REQUEST_MS, forgetAfterMs: FORGET_AFTER_MS },
    selector: `chancery.dev/role=webhook,chancery.dev/group=${service}`,
  });
  let told: string | undefined;
  return async () => {
    try {
      const replicas = await reports.of(namespace);
      told = undefined;
      return replicas.map(({ name, annotations }) => ({
        name,
        certificate: annotations[SERVED_CERTIFICATE_ANNOTATION],
      }));
    } catch (thrown) {
      if (!(thrown instanceof ChanceryError && thrown.code === "forbidden")) throw thrown;
      const error = errorMessage(thrown);
      if (error !== told) log.warn("Cannot see which certificate the replicas of the webhook show", { error });
      told = error;
      return undefined;
    }
  };
}

function tellStep(step: WebhookCertificateStep, log: Logger): void {
  switch (step.do) {
    case "issue":
      return log.info("A certificate was issued for the webhook", { as: step.as, why: step.why });
    case "trust": {
      const configurations = step.configurations.map(({ kind, metadata }) => `${kind}/${metadata.name}`).join(", ");
      return log.info("The API server was told what to trust", { configurations, roots: step.roots.length });
    }
    case "promote":
      return log.info("The next certificate of the webhook is in place");
    case "discard":
      return log.info("The Secret of the next certificate was removed", { why: step.why });
    case "remember":
      return log.info("What the webhook's certificate is trusted by was written down", { roots: step.trust.length });
    case "require": {
      const configurations = step.configurations.map(({ kind, metadata }) => `${kind}/${metadata.name}`).join(", ");
      return log.info("The API server refuses from now on what it cannot ask the webhook about", { configurations });
    }
  }
}

function tellPlan({ phase, step, problem, leftTo }: WebhookCertificatePlan, log: Logger): void {
  if (problem !== undefined) return log.warn("The certificate of the webhook needs somebody's help", { problem });
  if (leftTo !== undefined) return log.info("The certificate of the webhook is left alone", { keptBy: leftTo });
  const waits = step.do === "wait" && step.for.length > 0 ? { waitingFor: step.for.slice(0, 10).join(", ") } : {};
  log.info("The certificate of the webhook", { phase, ...waits });
}
