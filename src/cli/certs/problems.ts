import type { CertificateDocument } from "../../app/certificates/mod.ts";
import { certificateSettings } from "../../api/operator/mod.ts";
import { certificatesIn } from "../../pki/mod.ts";
import type { CertCommands } from "./next.ts";

/** Why a line of `chancery certs` is not as it should be, and what to type next. */
export interface CertProblem {
  readonly severity: "error" | "warning";
  /** A reason as in the object's conditions, or of the same form. */
  readonly reason: string;
  readonly message: string;
  readonly next: string;
}

/** Reasons of `UpToDate` that people have to see to. */
const STUCK: ReadonlySet<string> = new Set([
  ...["InvalidSpec", "SecretNotOwned", "SecretIncomplete", "SecretUnreadable", "KeyMismatch"],
  ...["IssuerNotFound", "IssuerNotAllowed"],
]);
/** Those of them that end when the Secret is removed. */
const BY_SECRET: ReadonlySet<string> = new Set([
  "SecretNotOwned",
  "SecretIncomplete",
  "SecretUnreadable",
  "KeyMismatch",
]);

/** Everything that is wrong with a certificate, what its Secret really holds before what its status says. `now` in milliseconds. */
export function problemsOf(
  document: CertificateDocument,
  { now, commands }: { now: number; commands: CertCommands },
): readonly CertProblem[] {
  const problems = [
    ...ofSecret(document, { now, commands }),
    ...ofBundle(document, commands),
    ...ofStatus(document, commands),
  ];
  return problems.filter(({ reason }, index) => problems.findIndex((one) => one.reason === reason) === index);
}

function ofSecret(
  { object, held }: CertificateDocument,
  { now, commands }: { now: number; commands: CertCommands },
): CertProblem[] {
  const { namespace = "default", name } = object.metadata;
  const { secretName } = certificateSettings(object);
  const secret = { namespace, name: secretName };
  const describe = commands.describe({ namespace, name });
  const error = (reason: string, message: string, next: string): CertProblem[] => [
    { severity: "error", reason, message, next },
  ];
  if (held.kind === "hidden") {
    return [{ severity: "warning", reason: "SecretHidden", message: held.problem, next: "" }];
  }
  if (held.kind === "missing") {
    return error("SecretMissing", `There is no Secret "${namespace}/${secretName}"`, describe);
  }
  const { reading, path } = held;
  const remove = commands.removeSecret(secret);
  const certificates = certificatesIn(reading);
  if (reading.kind === "incomplete" && !certificates) {
    return error("SecretIncomplete", `The Secret has no ${reading.missing.join(" and no ")}`, remove);
  }
  if (reading.kind === "unreadable") return error("SecretUnreadable", reading.problem, remove);
  if (!certificates || (reading.kind === "pair" && !reading.keyMatches)) {
    return error("KeyMismatch", "The key in the Secret does not belong to its certificate", remove);
  }
  const { chain: [leaf], trusted } = certificates;
  const isTrusted = leaf.selfSigned ||
    path.some(({ fingerprint }) => trusted?.some((one) => one.fingerprint === fingerprint));
  const problems: CertProblem[] = [];
  if (leaf.notAfter <= now) problems.push(...error("Ended", `It has ended at ${timeText(leaf.notAfter)}`, describe));
  if (leaf.notBefore > now) {
    problems.push(...error("NotYetValid", `It does not begin before ${timeText(leaf.notBefore)}`, describe));
  }
  if (trusted === undefined) {
    const message = "The Secret has no ca.crt: who mounts it cannot verify anybody";
    problems.push({ severity: "warning", reason: "TrustIncomplete", message, next: describe });
  } else if (!isTrusted) {
    problems.push(...error("NotTrusted", "None of the certificates in its own ca.crt has signed it", describe));
  }
  const over = path.slice(1).find(({ notAfter }) => notAfter <= now);
  if (over) {
    const message = `${JSON.stringify(over.commonName)}, which it comes from, has ended at ${timeText(over.notAfter)}`;
    problems.push(...error("IssuerEnded", message, describe));
  }
  const told = object.status?.notAfter;
  if (told !== undefined && Math.abs(Date.parse(told) - leaf.notAfter) > 1000) {
    const message = `The status tells of another certificate, which ends at ${told}: nobody has looked at this one yet`;
    problems.push({ severity: "warning", reason: "StatusOld", message, next: describe });
  }
  return problems;
}

/** Of a CA that an operator looks after; for others there is no bundle. */
function ofBundle({ object, held, bundle }: CertificateDocument, commands: CertCommands): CertProblem[] {
  const leaf = held.kind === "read" ? certificatesIn(held.reading)?.chain[0] : undefined;
  if (!bundle || !leaf || !object.status?.rotation) return [];
  const { namespace = "default", name } = object.metadata;
  if (bundle.certificates?.some(({ fingerprint }) => fingerprint === leaf.fingerprint)) return [];
  const what = bundle.certificates ? "does not hold it" : "holds no certificate";
  const message = `ConfigMap "${namespace}/${bundle.name}" ${what}: who goes by it trusts nothing that it signs`;
  return [{ severity: "error", reason: "BundleIncomplete", message, next: commands.describe({ namespace, name }) }];
}

function ofStatus({ object }: CertificateDocument, commands: CertCommands): CertProblem[] {
  const { metadata: { namespace = "default", name, generation = 0 }, status = {} } = object;
  const key = { namespace, name };
  const { secretName, issuer } = certificateSettings(object);
  if (status.conditions === undefined || (status.observedGeneration ?? 0) < generation) {
    const message = "Nobody has looked at it yet: is an operator running?";
    return [{ severity: "warning", reason: "NotObserved", message, next: commands.describe(key) }];
  }
  const allowed = status.conditions.some(({ type, status: is }) => type === "IssuerAllowed" && is === "True");
  const problems: CertProblem[] = [];
  for (const { type, status: is, reason, message } of status.conditions) {
    const told = (severity: CertProblem["severity"], next: string) =>
      problems.push({ severity, reason, message, next });
    if (type === "UpToDate" && is === "False") {
      const next = BY_SECRET.has(reason)
        ? commands.removeSecret({ namespace, name: secretName })
        : reason === "IssuerNotAllowed" && issuer && !allowed // else it asks for what nobody may give it
        ? commands.allowIssuing(issuer, namespace)
        : commands.describe(key);
      told(STUCK.has(reason) ? "error" : "warning", next);
    }
    if (type === "ExpiresSoon" && is === "True") told(reason === "Ended" ? "error" : "warning", commands.describe(key));
    if (type === "IssuerAllowed" && is === "False" && issuer) told("warning", commands.allowIssuing(issuer, namespace));
    if (type === "Reconciled" && is === "False") told("warning", commands.describe(key));
    if (type === "Rotating" && is === "True") {
      told("warning", reason === "EarlierIsTrusted" ? `${commands.distrust(key)}  # or wait` : commands.show(key));
    }
  }
  return problems;
}

function timeText(time: number): string {
  return new Date(time).toISOString().replace(".000", "");
}
