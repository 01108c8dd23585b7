import type { CertificateDocument, CertificatesDocument } from "../../app/certificates/mod.ts";
import { ChanceryError, suggest } from "../../base/mod.ts";
import type { CliContext } from "../command.ts";
import { EXIT, UsageError } from "../exit_code.ts";
import { documentText } from "../output.ts";
import { readSelector } from "../source/selector.ts";
import { painter } from "../text/paint.ts";
import { change, changeWebhook } from "./change.ts";
import { certCommands, type Named } from "./next.ts";
import { certsReport } from "./report.ts";
import type { CertSource } from "./source.ts";
import { certsText } from "./text.ts";

/** What `chancery certs` is told. */
export interface CertsValues {
  readonly namespace: string | undefined;
  readonly allNamespaces: boolean;
  readonly selector: string | undefined;
  readonly output: "text" | "wide" | "json" | "yaml" | "name";
  readonly exitCode: boolean;
  readonly force: boolean;
}

/** Runs `chancery certs`. `flags` has to be typed after a command to ask the same cluster again. */
export async function runCerts(
  values: CertsValues,
  { source, flags, context, words }: {
    source: CertSource;
    flags: string;
    context: CliContext;
    words: readonly string[];
  },
): Promise<number> {
  const [verb, ...rest] = words;
  const changes = verb === "rotate" || verb === "distrust";
  const names = changes || verb === "list" ? rest : words;
  const { selector, output } = values;
  if (values.force && verb !== "distrust") throw new UsageError("Cannot use --force: it is for distrust alone");
  if (changes && (names.length !== 1 || selector !== undefined || values.allNamespaces)) {
    throw new UsageError(
      `Cannot ${verb} certificates: the NAME or NAMESPACE/NAME of one certificate authority is needed`,
    );
  }
  const namespace = values.allNamespaces ? undefined : values.namespace ?? source.namespace;
  const keys = names.map((word) => readKey(word, namespace ?? source.namespace));
  const places = new Set(keys.map((key) => key.namespace));
  const [place] = places;
  const document = await source.list({
    namespace: keys.length === 0 ? namespace : places.size === 1 ? place : undefined,
    ...(selector !== undefined && { labels: { matchExpressions: readSelector(selector) } }),
  });
  check(keys, document);
  const commands = certCommands(flags, context);
  if (changes) {
    const webhook = document.webhooks.find((found) => textOf(found) === textOf(keys[0]!));
    if (webhook) return await changeWebhook(verb, { webhook, source, commands, context });
    const one = document.certificates.find((found) => nameOf(found) === textOf(keys[0]!)); // checked above
    return await change(verb, { one: one!, source, commands, context, force: values.force });
  }
  const asked = new Set(keys.map(textOf));
  const wanted = (one: Named) => asked.size === 0 || asked.has(textOf(one));
  const report = certsReport(document, { server: source.server, wanted, commands });
  if (output === "json" || output === "yaml") context.out(await documentText(report, output));
  else if (output === "name") context.out(report.items.map((item) => `${textOf(item)}\n`).join(""));
  else {
    if (report.items.length === 0) {
      const where = namespace === undefined
        ? ""
        : ` in namespace ${JSON.stringify(namespace)}; -A looks in all of them`;
      context.err(`No DiscoveryServiceCertificate found${where}\n`);
    }
    const details = keys.length > 0;
    context.out(certsText(report, { wide: output === "wide", details, paint: painter(context.color.out) }));
  }
  return values.exitCode && !report.ok ? EXIT.differs : EXIT.ok;
}

function readKey(word: string, namespace: string): Named {
  const parts = word.split("/");
  if (parts.length > 2 || parts.includes("")) {
    throw new UsageError(`Cannot read ${JSON.stringify(word)}: NAME or NAMESPACE/NAME is needed`);
  }
  const [name = "", own] = parts.reverse();
  return { namespace: own ?? namespace, name };
}

/** Throws `not-found` for the first that is not there, with what was probably meant. */
function check(keys: readonly Named[], { certificates, webhooks }: CertificatesDocument): void {
  const known = [...certificates.map(nameOf), ...webhooks.map(textOf)];
  const missing = keys.map(textOf).find((name) => !known.includes(name));
  if (missing === undefined) return;
  const near = suggest(missing, known);
  const hint = near === undefined ? "" : `, did you mean ${JSON.stringify(near)}?`;
  throw new ChanceryError("not-found", `Cannot find DiscoveryServiceCertificate ${JSON.stringify(missing)}${hint}`);
}

function nameOf({ object: { metadata: { namespace = "default", name } } }: CertificateDocument): string {
  return `${namespace}/${name}`;
}

function textOf({ namespace, name }: Named): string {
  return `${namespace}/${name}`;
}
