import type { PathSegment } from "../base/mod.ts";

const TEMPLATE = ["spec", "template"];

/** Where the kinds that make pods have the pod that they make. */
const TEMPLATES: Readonly<Record<string, readonly PathSegment[]>> = {
  "v1/Pod": [],
  "v1/ReplicationController": TEMPLATE,
  "apps/v1/Deployment": TEMPLATE,
  "apps/v1/ReplicaSet": TEMPLATE,
  "apps/v1/StatefulSet": TEMPLATE,
  "apps/v1/DaemonSet": TEMPLATE,
  "batch/v1/Job": TEMPLATE,
  "batch/v1/CronJob": ["spec", "jobTemplate", "spec", "template"],
};

/** Path of the pod, or of its template, in an object of that kind; `undefined` for what makes no pods. */
export function podTemplatePath(apiVersion: unknown, kind: unknown): readonly PathSegment[] | undefined {
  const name = `${apiVersion}/${kind}`;
  return Object.hasOwn(TEMPLATES, name) ? TEMPLATES[name] : undefined;
}
