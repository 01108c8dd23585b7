import { expect } from "expect";
import { eventually, startProcess } from "../../envoy/harness/mod.ts";
import { clusterTest, startControlPlane } from "../control_plane/mod.ts";
import { type Ground, openGround } from "./ground.ts";
import { left, leftDiscoveryService, leftEnvoyDeployment } from "./older_program.ts";

/** Follows the number of replicas that a Deployment is to have, in every version of it. */
function follow({ cluster, namespace }: Ground, name: string) {
  const watch = startProcess({
    name: `watch ${name}`,
    command: cluster.kubectlPath,
    args: [
      ...["--kubeconfig", cluster.kubeconfig, "-n", namespace, "get", "deployment", name, "-w"],
      ...["-o", 'jsonpath={.spec.replicas}{"\\n"}'],
    ],
  });
  return {
    numbers: () => watch.lines.map((line) => line.trim()).filter((line) => line !== "").map(Number),
    [Symbol.asyncDispose]: () => watch[Symbol.asyncDispose](),
  };
}

/** Sets the number as an autoscaler does, which tries again when somebody else has written meanwhile. */
async function scale(ground: Ground, name: string, replicas: number): Promise<void> {
  const path = `${ground.path(`apps/v1/deployments/${name}`)}/scale?fieldManager=kube-controller-manager`;
  await eventually(async () => {
    const scale = await ground.cluster.request("GET", path) as { spec: object }; // a Scale
    await ground.cluster.request("PUT", path, { ...scale, spec: { ...scale.spec, replicas } });
    return true;
  }, { what: `${name} to be scaled` });
}

clusterTest(
  "replicas never fall when an autoscaler takes over: neither ten that were asked for, nor seven that are adopted",
  async () => {
    // Without metrics a real autoscaler only keeps a number within its limits, as soon as it looks.
    const flags = ["--horizontal-pod-autoscaler-sync-period=1s"];
    await using cluster = await startControlPlane({ audit: true, controllerManagerFlags: flags });
    await using ground = await openGround({ cluster });
    const metadata = { name: "edge", namespace: ground.namespace };
    const spec = { nodeID: "edge", envoyResources: {} };
    await cluster.apply([{ apiVersion: "marin3r.3scale.net/v1alpha1", kind: "EnvoyConfig", metadata, spec }]);
    // As the older program leaves it: the autoscaler has set 7; or the program itself has written that number again since.
    const { certificates: [ca] } = await leftDiscoveryService(ground);
    const dynamic = { minReplicas: 2, maxReplicas: 12 };
    const older = { spec: { replicas: { dynamic } }, ca };
    await leftEnvoyDeployment(ground, "scaled", { ...older, replicas: 1 });
    await leftEnvoyDeployment(ground, "rewritten", { ...older, replicas: 7 });
    for (const name of ["scaled", "rewritten"]) {
      const workload = `marin3r-envoydeployment-${name}`;
      const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: workload };
      await left(ground, "autoscaling/v2/horizontalpodautoscalers", {
        apiVersion: "autoscaling/v2",
        kind: "HorizontalPodAutoscaler",
        metadata: { name: workload },
        spec: { scaleTargetRef, ...dynamic },
      }, await ground.get(`envoydeployments/${name}`));
    }
    await scale(ground, "marin3r-envoydeployment-scaled", 7);
    await using scaled = follow(ground, "marin3r-envoydeployment-scaled");
    await using rewritten = follow(ground, "marin3r-envoydeployment-rewritten");
    for (const one of [scaled, rewritten]) await eventually(() => one.numbers().length > 0, { what: "a first number" });

    const operator = ground.operator("operator-1");
    await operator.start();
    await ground.apply("EnvoyDeployment", "ten", {
      ...{ envoyConfigRef: "edge", discoveryServiceRef: "ds", replicas: { static: 10 } },
    });
    for (const name of ["scaled", "rewritten", "ten"]) {
      await ground.reason(`envoydeployments/${name}`, "Reconciled", "AsWanted", 60_000);
    }
    await using ten = follow(ground, "marin3r-envoydeployment-ten");
    await eventually(() => ten.numbers().at(-1) === 10, { what: "ten replicas", deadlineMs: 30_000 });
    await ground.patch("envoydeployments/ten", { spec: { replicas: { static: null, dynamic } } });
    const autoscaler = "autoscaling/v2/horizontalpodautoscalers/marin3r-envoydeployment-ten";
    await ground.until(autoscaler, "followed", ({ status }) => status?.["currentReplicas"] === 10, 60_000);

    // Each of the three is written again, and then changed by the autoscaler, whose number stays.
    for (const name of ["scaled", "rewritten", "ten"]) {
      await ground.patch(`envoydeployments/${name}`, { spec: { podAnnotations: { "example.com/round": "2" } } });
      const path = `apps/v1/deployments/marin3r-envoydeployment-${name}`;
      await ground.until(path, "written again", ({ spec }) => JSON.stringify(spec).includes("example.com/round"));
    }
    expect([scaled, rewritten, ten].map((one) => Math.min(...one.numbers()))).toEqual([7, 7, 10]);
    for (const name of ["scaled", "rewritten", "ten"]) {
      await scale(ground, `marin3r-envoydeployment-${name}`, 11);
      await ground.patch(`envoydeployments/${name}`, { spec: { podAnnotations: { "example.com/round": "3" } } });
      const path = `apps/v1/deployments/marin3r-envoydeployment-${name}`;
      const { spec } = await ground.until(
        path,
        "written again",
        ({ spec }) => JSON.stringify(spec).includes('"example.com/round":"3"'),
      );
      expect([name, spec?.["replicas"]]).toEqual([name, 11]);
    }
    // Back to a number of their own.
    await ground.patch("envoydeployments/ten", { spec: { replicas: { static: 3, dynamic: null } } });
    await eventually(() => ten.numbers().at(-1) === 3, { what: "three replicas", deadlineMs: 30_000 });
    await ground.gone(autoscaler);
    expect([scaled, rewritten].map((one) => Math.min(...one.numbers()))).toEqual([7, 7]);
    await operator.stop();
  },
);
