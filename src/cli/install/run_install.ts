import { stringifyYaml } from "../../base/yaml/mod.ts";
import { checkInstall, install, InstallTimeout } from "../../app/install/mod.ts";
import { readCluster } from "../../app/migrate/mod.ts";
import { OBSTACLE_KINDS, obstacles } from "../../migrate/mod.ts";
import { allObjects, installedObjects, installOptions, installStages } from "../../install/mod.ts";
import type { CliContext } from "../command.ts";
import { EXIT } from "../exit_code.ts";
import { migrationText } from "../migrate/text.ts";
import { painter } from "../text/paint.ts";
import { readSettings } from "./read_settings.ts";

/** What `chancery install` is told. */
export interface InstallValues {
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  readonly namespace: string;
  readonly set: readonly string[];
  readonly image: string | undefined;
  readonly timeout: number;
  readonly print: boolean;
  readonly noWait: boolean;
}

/** Prints or applies what is to be installed. */
export async function runInstall(values: InstallValues, context: CliContext): Promise<number> {
  const settings = { ...(values.image !== undefined && { image: values.image }), ...readSettings(values.set) };
  const options = installOptions(settings, values.namespace);
  const objects = installedObjects(options);
  if (values.print) {
    context.out(allObjects(objects).map((object) => stringifyYaml(object)).join("---\n"));
    return EXIT.ok;
  }
  const host = {
    kubeconfig: values.kubeconfig,
    context: values.context,
    env: (name: string) => context.env(name),
    tell: (line: string) => void context.out(`${line}\n`),
  };
  const stages = installStages(objects);
  await checkInstall(stages, host);
  const inTheWay = obstacles(await readCluster(OBSTACLE_KINDS, host), { certManager: options.certManager.enabled });
  if (inTheWay.length > 0) {
    context.err(
      `Cannot install: an older program is in the way\n${migrationText(inTheWay, painter(context.color.err))}`,
    );
    return EXIT.differs;
  }
  try {
    await install(stages, host, { wait: !values.noWait, timeoutMs: values.timeout });
  } catch (thrown) {
    if (!(thrown instanceof InstallTimeout)) throw thrown;
    context.err(`${thrown.message}\n`);
    return EXIT.timeout;
  }
  return EXIT.ok;
}
