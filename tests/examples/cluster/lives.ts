import type { ExamplePod } from "./example.ts";

/** Which pods these are, and how often their containers were started anew. */
export function livesOf(pods: readonly ExamplePod[]): readonly unknown[] {
  return pods.map(({ metadata, status }) => [
    metadata.uid,
    ...(status.containerStatuses ?? []).map(({ name, restartCount }) => [name, restartCount]),
  ]);
}
