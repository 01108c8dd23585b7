import { expect } from "expect";
import { envoyConfig, listener } from "../../envoy/harness/mod.ts";
import { sceneTest } from "../node/scene.ts";
import { openGround } from "./ground.ts";
import { IMAGES, QUICK, readyPods } from "./pods.ts";

sceneTest(
  "a DiscoveryService of three lines and an EnvoyDeployment become Envoys that are served by mutual TLS",
  async (scene) => {
    const { cluster, namespace, node } = scene;
    await using ground = await openGround({ cluster, namespace });
    const operator = ground.operator("operator-1");
    await operator.start();
    await ground.apply("DiscoveryService", "ds");
    const config = envoyConfig("edge", [listener("in", { port: 8000, routes: { text: "hello" } })]);
    await cluster.apply([{ ...config, metadata: { name: "edge", namespace } }]);
    await ground.apply("EnvoyDeployment", "front", {
      ...{ envoyConfigRef: "edge", discoveryServiceRef: "ds", readinessProbe: QUICK },
      ports: [{ name: "http", port: 8000 }],
    });
    await readyPods(scene, "discovery-service", 2);
    const [envoy] = await readyPods(scene, "envoy-deployment", 1);
    const answer = await node.request(scene.name(envoy!.metadata.name), "http://127.0.0.1:8000/");
    expect({ status: answer.status, body: answer.body }).toEqual({ status: 200, body: "hello" });
    await ground.reason("discoveryservices/ds", "Ready", "AllReplicasReady");
    await ground.reason("envoydeployments/front", "Ready", "AllReplicasReady");

    await ground.remove("envoydeployments/front");
    await ground.remove("discoveryservices/ds");
    const made = [
      ...["apps/v1/deployments/marin3r-ds", "apps/v1/deployments/marin3r-envoydeployment-front"],
      ...["services/marin3r-ds", "serviceaccounts/marin3r-ds", "configmaps/marin3r-ca-bundle-ds"],
      ...["secrets/marin3r-ca-cert-ds", "secrets/marin3r-server-cert-ds", "secrets/envoy-client-cert-front"],
    ];
    for (const path of made) await ground.gone(path);
    await operator.stop();
  },
  { images: IMAGES },
);
