import type { CoreValue } from "../../api/operator/mod.ts";

/** The fields of our kinds that say where pods run. */
interface Scheduling {
  readonly affinity?: CoreValue;
  readonly tolerations?: readonly CoreValue[];
  readonly nodeSelector?: Readonly<Record<string, string>>;
  readonly topologySpreadConstraints?: readonly CoreValue[];
  readonly podPriorityClass?: string;
  readonly imagePullSecrets?: readonly CoreValue[];
}

/** Where pods run (O4): as asked for, and otherwise spread over nodes where that is possible (A1). */
export function schedulingOf(
  spec: Scheduling,
  { selector }: { selector: Readonly<Record<string, string>> },
): Record<string, unknown> {
  const { affinity, tolerations, nodeSelector, topologySpreadConstraints, podPriorityClass, imagePullSecrets } = spec;
  return {
    ...(affinity && { affinity }),
    ...(tolerations && { tolerations }),
    ...(nodeSelector && { nodeSelector }),
    topologySpreadConstraints: topologySpreadConstraints ?? [{
      maxSkew: 1,
      topologyKey: "kubernetes.io/hostname",
      whenUnsatisfiable: "ScheduleAnyway",
      labelSelector: { matchLabels: selector },
    }],
    ...(podPriorityClass && { priorityClassName: podPriorityClass }),
    ...(imagePullSecrets && { imagePullSecrets }),
  };
}
