import { OPERATOR_ANNOTATIONS } from "../../api/operator/mod.ts";
import type { WebhookCertificateDocument } from "../../app/certificates/mod.ts";
import { BACKDATE_MS, certificatesIn } from "../../pki/mod.ts";
import type { CertCommands } from "./next.ts";
import type { CertProblem } from "./problems.ts";
import { type CertItem, linksOf, timeText } from "./report.ts";

/** The certificate of a webhook in `chancery certs`: there is no object that asks for it, so its Secret tells all. */
export function webhookItem(
  document: WebhookCertificateDocument,
  { now, commands }: { now: number; commands: CertCommands },
): CertItem {
  const { namespace, name, held, nextSince } = document;
  const { chain, trusted } = held.kind === "read" ? certificatesIn(held.reading) ?? {} : {};
  const leaf = chain?.[0];
  const path = held.kind === "read" ? held.path : [];
  const root = trusted?.find(({ fingerprint }) => path.slice(1).some((one) => one.fingerprint === fingerprint));
  const earlier = (trusted ?? []).filter((one) => one !== root);
  const phase = nextSince !== undefined ? "Trust" : earlier.length > 0 ? "Retire" : "Stable";
  const problems = problemsOf(document, { now, commands, phase });
  const broken = held.kind !== "read" || held.reading.kind !== "pair" || !held.reading.keyMatches || !root;
  return {
    ...{ namespace, name, type: "server", secret: name, keySecret: null },
    ...{ issuer: root?.commonName ?? null, issuerSecret: null },
    notBefore: leaf ? timeText(leaf.notBefore) : null,
    notAfter: leaf ? timeText(leaf.notAfter) : null,
    secondsLeft: leaf ? Math.floor((leaf.notAfter - now) / 1000) : null,
    fingerprint: leaf?.fingerprint ?? null,
    commonName: leaf?.commonName ?? "",
    names: leaf ? [...leaf.names.dns, ...leaf.names.ips] : [],
    ...{ nodeId: null, chain: held.kind === "read" ? linksOf(path, now) : null, bundle: null },
    trusted: trusted?.map(({ fingerprint }) => fingerprint) ?? null,
    renewal: true,
    state: broken ? "Broken" : !leaf || leaf.notAfter <= now ? "Expired" : leaf.notBefore > now ? "NotReady" : "Ready",
    rotation: leaf && root
      ? {
        ...{ phase, since: nextSince ?? timeText(leaf.notBefore + BACKDATE_MS), current: root.fingerprint },
        earlier: earlier.map(({ fingerprint, notAfter }) => ({ fingerprint, until: timeText(notAfter) })),
      }
      : null,
    problems,
  };
}

function problemsOf(
  { namespace, name, held, annotations }: WebhookCertificateDocument,
  { now, commands, phase }: { now: number; commands: CertCommands; phase: string },
): readonly CertProblem[] {
  const key = { namespace, name };
  const of = (severity: CertProblem["severity"], reason: string, message: string, next: string): CertProblem[] => [
    { severity, reason, message, next },
  ];
  const remove = commands.removeSecret(key);
  const reading = held.kind === "read" ? held.reading : undefined;
  if (reading?.kind === "unreadable") return of("error", "SecretUnreadable", reading.problem, remove);
  if (reading?.kind !== "pair") return of("error", "SecretIncomplete", "The Secret has not all of its keys", remove);
  if (!reading.keyMatches) {
    return of("error", "KeyMismatch", "The key in the Secret does not belong to its certificate", remove);
  }
  const [leaf] = reading.chain;
  if (leaf.notAfter <= now) {
    return of("error", "Ended", `It has ended at ${timeText(leaf.notAfter)}: is an operator running?`, "");
  }
  if (phase === "Trust") return of("warning", "NextIsTold", "API servers are told of the next one", commands.show(key));
  if (phase === "Retire") {
    const message = "The earlier one is trusted until all replicas have shown this one for two minutes";
    return of("warning", "EarlierIsTrusted", message, commands.show(key));
  }
  if (annotations?.[OPERATOR_ANNOTATIONS.rotate] !== leaf.fingerprint) return [];
  return of("warning", "RotationAsked", "Somebody asks for another one: is an operator running?", commands.show(key));
}
