import type { CliContext } from "../command.ts";
import { shellWord } from "../text/clean.ts";

/** A name in a namespace. */
export interface Named {
  readonly namespace: string;
  readonly name: string;
}

/** The commands to type next. */
export interface CertCommands {
  show(key: Named): string;
  rotate(key: Named): string;
  distrust(key: Named): string;
  describe(key: Named): string;
  removeSecret(key: Named): string;
  allowIssuing(secret: Named, namespace: string): string;
}

/** With flags as whoever was asked wants them: empty, or beginning with a space. */
export function certCommands(flags: string, { program }: Pick<CliContext, "program">): CertCommands {
  const named = ({ namespace, name }: Named) => shellWord(`${namespace}/${name}`);
  const of = ({ namespace, name }: Named) => `${shellWord(name)} -n ${shellWord(namespace)}`;
  return {
    show: (key) => `${program} certs ${named(key)}${flags}`,
    rotate: (key) => `${program} certs rotate ${named(key)}${flags}`,
    distrust: (key) => `${program} certs distrust ${named(key)}${flags}`,
    describe: (key) => `kubectl describe dsc ${of(key)}${flags}`,
    removeSecret: (key) => `kubectl delete secret ${of(key)}${flags}`,
    allowIssuing: (secret, namespace) =>
      `kubectl annotate secret ${of(secret)} marin3r.3scale.net/allow-issuing-to=${shellWord(namespace)}${flags}`,
  };
}
