import { certificateSettings, OPERATOR_ANNOTATIONS } from "../../api/operator/mod.ts";
import type { CertificateDocument, WebhookCertificateDocument } from "../../app/certificates/mod.ts";
import { ChanceryError } from "../../base/mod.ts";
import type { CliContext } from "../command.ts";
import { EXIT } from "../exit_code.ts";
import type { CertCommands, Named } from "./next.ts";
import type { CertSource } from "./source.ts";

/** What a change needs. */
interface Change {
  readonly one: CertificateDocument;
  readonly source: CertSource;
  readonly commands: CertCommands;
  readonly context: CliContext;
  readonly force: boolean;
}

/** Asks the operator for a change of a certificate authority, which it carries out by and by. Throws why it should not be. */
export async function change(verb: "rotate" | "distrust", change: Change): Promise<number> {
  const { one: { object }, commands } = change;
  const { namespace = "default", name, uid = "" } = object.metadata;
  const key = { kind: object.kind, namespace, name };
  const shown = JSON.stringify(`${namespace}/${name}`);
  const { isCA, issuer, secretName } = certificateSettings(object);
  if (!isCA || issuer) {
    throw refusal(`Cannot ${verb} ${shown}: it is no certificate authority that signs itself`, [
      ...(verb === "rotate"
        ? [`${commands.removeSecret({ namespace, name: secretName })}  # to have another one`]
        : []),
    ]);
  }
  const { rotation } = object.status ?? {};
  if (!rotation) {
    throw refusal(`Cannot ${verb} ${shown}: no operator has looked at it yet`, [commands.describe(key)]);
  }
  return verb === "rotate"
    ? await rotate({ ...change, key, uid, shown, rotation })
    : await distrust({ ...change, key, uid, shown, rotation });
}

/** Asks for another certificate of a webhook, or says why not. */
export async function changeWebhook(
  verb: "rotate" | "distrust",
  { webhook: { namespace, name, uid, held }, source, commands, context }:
    & { readonly webhook: WebhookCertificateDocument }
    & Pick<Change, "source" | "commands" | "context">,
): Promise<number> {
  const key = { kind: "Secret", namespace, name };
  const shown = JSON.stringify(`${namespace}/${name}`);
  if (verb === "distrust") {
    const why = "what the earlier ones signed is trusted no longer as soon as all replicas show the present one";
    throw refusal(`Cannot distrust the earlier certificates of ${shown}: ${why}`, [commands.show(key)]);
  }
  const leaf = held.kind === "read" && held.reading.kind === "pair" ? held.reading.chain[0] : undefined;
  if (!leaf) throw refusal(`Cannot rotate ${shown}: there is no certificate in it`, [commands.removeSecret(key)]);
  await source.rotate(key, { uid, fingerprint: leaf.fingerprint });
  context.out(
    `asked for another certificate in ${shown} instead of ${leaf.fingerprint.slice(0, 16)}: ` +
      `API servers are told first, then it is shown\nNext: ${commands.show(key)}\n`,
  );
  return EXIT.ok;
}

type Known = Change & {
  readonly key: Named & { readonly kind: string };
  readonly uid: string;
  readonly shown: string;
  readonly rotation: NonNullable<NonNullable<CertificateDocument["object"]["status"]>["rotation"]>;
};

async function rotate(
  { one: { object }, source, commands, context, key, uid, shown, rotation }: Known,
): Promise<number> {
  const { phase, current } = rotation;
  const asked = object.metadata.annotations?.[OPERATOR_ANNOTATIONS.rotate] === current;
  if (phase === "Trust" || asked) {
    context.out(
      `nothing to change: another certificate authority is on its way for ${shown}\nNext: ${commands.show(key)}\n`,
    );
    return EXIT.ok;
  }
  if (phase === "Sign") {
    throw refusal(`Cannot rotate ${shown}: what its earlier one signed is still being issued again`, [
      commands.show(key),
    ]);
  }
  await source.rotate(key, { uid, fingerprint: current });
  context.out(
    `asked for another certificate authority for ${shown} instead of ${current.slice(0, 16)}: ` +
      `everybody is told first, then it signs\nNext: ${commands.show(key)}\n`,
  );
  return EXIT.ok;
}

async function distrust({ source, commands, context, key, uid, shown, rotation, force }: Known): Promise<number> {
  const { phase, earlier = [] } = rotation;
  if (earlier.length === 0) {
    context.out(`nothing to change: ${shown} has no earlier certificate authority that is still trusted\n`);
    return EXIT.ok;
  }
  if ((phase === "Trust" || phase === "Sign") && !force) {
    const why = phase === "Sign"
      ? "what the earlier one signed is still being issued again, and would be refused"
      : "everybody is being told of the next one, and the earlier ones go after that";
    throw refusal(
      `Cannot distrust the earlier certificate authorities of ${shown}: ${why} (--force does it all the same)`,
      [
        commands.show(key),
      ],
    );
  }
  await source.distrust(key, { uid, fingerprints: earlier.map(({ fingerprint }) => fingerprint) });
  const names = earlier.map(({ fingerprint }) => fingerprint.slice(0, 16)).join(", ");
  context.out(`asked to trust no longer what ${names} signed, earlier of ${shown}\nNext: ${commands.show(key)}\n`);
  return EXIT.ok;
}

function refusal(message: string, next: readonly string[]): ChanceryError {
  return new ChanceryError("conflict", [message, ...next.map((command) => `Next: ${command}`)].join("\n"));
}
