import { expect } from "expect";
import type { KubeObject } from "./kube_object.ts";
import { podProblems, unsettled } from "./settled.ts";

function object(kind: string, rest: object): KubeObject {
  return { apiVersion: "v1", kind, metadata: { name: "it", generation: 2 } as KubeObject["metadata"], ...rest };
}

function deployment(status: object): string | undefined {
  return unsettled(object("Deployment", { spec: { replicas: 2 }, status: { observedGeneration: 2, ...status } }));
}

Deno.test("unsettled() says what a Deployment still lacks", () => {
  expect(deployment({ observedGeneration: 1, updatedReplicas: 2, availableReplicas: 2 })).toBe(
    "it has not been looked at yet",
  );
  expect(deployment({ updatedReplicas: 2, availableReplicas: 1 })).toBe("1 of 2 pods are ready");
  // Those of before are available, the new ones are not there yet.
  expect(deployment({ replicas: 3, updatedReplicas: 1, availableReplicas: 2 })).toBe("1 of 2 pods are ready");
  expect(deployment({ replicas: 3, updatedReplicas: 2, availableReplicas: 2 })).toBe("1 pod of before still ends");
  expect(deployment({ replicas: 2, updatedReplicas: 2, availableReplicas: 2 })).toBeUndefined();
  const conditions = [{ type: "ReplicaFailure", status: "True", message: "exceeded quota" }];
  expect(deployment({ conditions })).toBe("no pods can be made: exceeded quota");
});

Deno.test("unsettled() waits for kinds to be served, and for webhooks to be trusted", () => {
  const crd = (type: string, status: string, message?: string) =>
    unsettled(object("CustomResourceDefinition", { status: { conditions: [{ type, status, message }] } }));
  expect(crd("Established", "False")).toBe("the API server does not serve it yet");
  expect(crd("NamesAccepted", "False", '"ec" is taken')).toBe('"ec" is taken');
  expect(crd("Established", "True")).toBeUndefined();
  const webhooks = (...bundles: string[]) =>
    unsettled(object("MutatingWebhookConfiguration", {
      webhooks: bundles.map((caBundle) => ({ clientConfig: { caBundle } })),
    }));
  expect(webhooks("YQ==", "")).toBe("the certificate of the webhook is not trusted yet");
  expect(webhooks("YQ==", "YQ==")).toBeUndefined();
  expect(unsettled(object("Service", {}))).toBeUndefined();
});

Deno.test("podProblems() tells of pods that no node takes and of containers that do not start", () => {
  const pod = (name: string, status: object) => ({ metadata: { name }, status });
  const waiting = (reason: string, message?: string) => ({ name: "c", state: { waiting: { reason, message } } });
  expect(podProblems([
    pod("a", { conditions: [{ type: "PodScheduled", status: "False", message: "0/1 nodes are available" }] }),
    pod("b", { containerStatuses: [waiting("ImagePullBackOff", "no such image")] }),
    pod("c", { initContainerStatuses: [{ name: "i", state: { terminated: { exitCode: 3 } } }] }),
    pod("d", { containerStatuses: [{ name: "c", ready: true, state: { running: {} } }] }),
  ])).toEqual([
    "a: 0/1 nodes are available",
    "b: ImagePullBackOff: no such image",
    "c: ended with exit code 3",
  ]);
});
