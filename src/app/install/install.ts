import { ChanceryError, systemClock, wait } from "../../base/mod.ts";
import { type KubeObject, objectTitle, podProblems, unsettled } from "../../install/mod.ts";
import { connect } from "../../store/kubernetes/mod.ts";
import { ClusterObjects } from "./cluster_objects.ts";
import { checkRights } from "./missing_rights.ts";

/** How a cluster is reached, and how far. */
export interface ClusterHost {
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  env(name: string): string | undefined;
  /** Takes one line about what was done. */
  tell(line: string): void;
}

/** How long to wait. */
export interface WaitOptions {
  /** Whether to wait until everything runs, after what others need anyway. */
  readonly wait: boolean;
  /** For everything together, in milliseconds. */
  readonly timeoutMs: number;
}

/** Between two looks at what is waited for. */
const LOOK_MS = 500;

/** Time ran out; the message says what was still to come. */
export class InstallTimeout extends ChanceryError {
  constructor(message: string) {
    super("unavailable", message);
  }
}

/**
 * Asks whether all of it may be done.
 * @throws {ChanceryError} that names every right that is missing
 */
export async function checkInstall(
  stages: readonly (readonly KubeObject[])[],
  host: Pick<ClusterHost, "kubeconfig" | "context" | "env">,
): Promise<void> {
  await using connection = await connect({ ...host, clock: systemClock });
  const cluster = new ClusterObjects(connection);
  await checkRights(stages.flat(), { connection, cluster, verbs: ["get", "create", "patch"] });
}

/**
 * Applies the stages one after another, and waits after each until it does what it is there for. May be repeated at any time.
 * @throws {InstallTimeout}
 */
export async function install(
  stages: readonly (readonly KubeObject[])[],
  host: ClusterHost,
  options: WaitOptions,
): Promise<void> {
  await using connection = await connect({ ...host, clock: systemClock });
  const cluster = new ClusterObjects(connection);
  const until = systemClock.monotonic() + options.timeoutMs;
  for (const [at, stage] of stages.entries()) {
    for (const object of stage) host.tell(`${objectTitle(object)} ${await cluster.apply(object)}`);
    // Kinds have to be there before anything else; the last is nobody's condition.
    if (options.wait || at === 0) await settle(stage, { cluster, host, until });
  }
}

async function settle(
  stage: readonly KubeObject[],
  { cluster, host, until }: { cluster: ClusterObjects; host: ClusterHost; until: number },
): Promise<void> {
  let told = "";
  for (let left = [...stage];;) {
    const lacking: { object: KubeObject; why: string }[] = [];
    for (const object of left) {
      const live = await cluster.get(object);
      const why = live ? unsettled(live) : "it is not there any more";
      if (why !== undefined) lacking.push({ object, why });
    }
    if (lacking.length === 0) return;
    left = lacking.map(({ object }) => object);
    const text = lacking.map(({ object, why }) => `${objectTitle(object)}: ${why}`).join("\n");
    if (text !== told) host.tell(text.replace(/^/gm, "waiting for "));
    told = text;
    if (systemClock.monotonic() > until) throw new InstallTimeout(await explain(lacking, cluster));
    await wait(LOOK_MS, { clock: systemClock, signals: [] });
  }
}

async function explain(
  lacking: readonly { object: KubeObject; why: string }[],
  cluster: ClusterObjects,
): Promise<string> {
  const lines: string[] = [];
  for (const { object, why } of lacking) {
    lines.push(`${objectTitle(object)}: ${why}`);
    if (object.kind !== "Deployment") continue;
    lines.push(...podProblems(await cluster.podsOf(object)).map((problem) => `  ${problem}`));
  }
  return `Cannot wait any longer (--timeout)\n${lines.join("\n")}`;
}
