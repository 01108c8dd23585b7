import type { PodOwner } from "../../../pods/mod.ts";
import type { CliContext } from "../../command.ts";
import { shellWord } from "../../text/clean.ts";

/** A name in a namespace. */
interface Named {
  readonly namespace: string;
  readonly name: string;
}

/** The commands to type next. */
export interface PodCommands {
  /** Gives all pods of an owner, or the pod alone, what they would be now; empty for what ends by itself. */
  renew(pod: Named, owner: PodOwner | undefined): string;
  /** The same where the manifests have the sidecar in them. */
  injectAnew(pod: Named, owner: PodOwner | undefined): string;
  rollout(pod: Named, owner: PodOwner | undefined): string;
  describe(what: string, pod: Named): string;
  annotations(pod: Named, owner: PodOwner | undefined): string;
  webhooks(): string;
}

const RESTARTED: ReadonlySet<string> = new Set(["apps/v1/Deployment", "apps/v1/DaemonSet", "apps/v1/StatefulSet"]);

/** With flags as the cluster wants them: empty, or beginning with a space. */
export function podCommands(flags: string, { program }: Pick<CliContext, "program">): PodCommands {
  const within = ({ namespace }: Named) => ` -n ${shellWord(namespace)}${flags}`;
  const title = ({ kind, name }: PodOwner) => `${kind.toLowerCase()}/${shellWord(name)}`;
  const injectAnew: PodCommands["injectAnew"] = (pod, owner) =>
    owner
      ? `kubectl get ${title(owner)}${within(pod)} -o yaml | ${program} inject --uninject | kubectl apply${flags} -f -`
      : `kubectl get pod/${shellWord(pod.name)}${within(pod)} -o yaml | ${program} inject --uninject | ` +
        `kubectl replace --force${flags} -f -`;
  return {
    renew(pod, owner) {
      if (!owner) return injectAnew(pod, owner);
      if (["Job", "CronJob"].includes(owner.kind)) return "";
      return isRestarted(owner)
        ? `kubectl rollout restart ${title(owner)}${within(pod)}`
        : `kubectl delete pod ${shellWord(pod.name)}${within(pod)}`;
    },
    injectAnew,
    rollout: (pod, owner) => owner && isRestarted(owner) ? `kubectl rollout status ${title(owner)}${within(pod)}` : "",
    describe: (what, pod) => `kubectl describe ${what}${within(pod)}`,
    annotations: (pod, owner) => `kubectl edit ${owner ? title(owner) : `pod/${shellWord(pod.name)}`}${within(pod)}`,
    webhooks: () => `kubectl get mutatingwebhookconfigurations${flags}`,
  };
}

function isRestarted({ apiVersion, kind }: PodOwner): boolean {
  return RESTARTED.has(`${apiVersion}/${kind}`);
}
