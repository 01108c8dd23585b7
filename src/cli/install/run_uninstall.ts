import { InstallTimeout, uninstall } from "../../app/install/mod.ts";
import { type KubeObject, possibleObjects, type Removal, removalOf, type SettingValues } from "../../install/mod.ts";
import type { CliContext } from "../command.ts";
import { EXIT } from "../exit_code.ts";
import { readSettings } from "./read_settings.ts";

/** What `chancery uninstall` is told. */
export interface UninstallValues {
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  readonly namespace: string;
  readonly set: readonly string[];
  readonly timeout: number;
  readonly deleteCrds: boolean;
}

/** Removes what was installed. */
export async function runUninstall(values: UninstallValues, context: CliContext): Promise<number> {
  const { namespace, deleteCrds, timeout } = values;
  const settings = readSettings(values.set);
  const objectsFor = (more: SettingValues) => possibleObjects({ ...settings, ...more }, namespace);
  const operator = objectsFor({}).operator.find(({ kind }) => kind === "Deployment")!; // an operator is one
  const removalFor = (live: KubeObject | undefined): Removal => {
    const watched = settings.watchNamespaces === undefined ? watchedBy(live) : {};
    return removalOf(objectsFor(watched), { deleteCrds });
  };
  const host = {
    kubeconfig: values.kubeconfig,
    context: values.context,
    env: (name: string) => context.env(name),
    tell: (line: string) => void context.out(`${line}\n`),
  };
  try {
    await uninstall(removalFor, host, { operator, timeoutMs: timeout });
  } catch (thrown) {
    if (!(thrown instanceof InstallTimeout)) throw thrown;
    context.err(`${thrown.message}\n`);
    return EXIT.timeout;
  }
  return EXIT.ok;
}

/** Which namespaces the operator that is there looks after: its rights lie in those. */
function watchedBy(live: KubeObject | undefined): SettingValues {
  const { template } = live?.spec as
    | { template: { spec: { containers: readonly { env?: readonly { name: string; value?: string }[] }[] } } }
    | undefined ?? { template: { spec: { containers: [] } } };
  const env = template.spec.containers.flatMap(({ env = [] }) => env);
  const watched = env.find(({ name }) => name === "WATCH_NAMESPACE")?.value ?? "";
  return { watchNamespaces: watched.split(",").filter((name) => name !== "") };
}
