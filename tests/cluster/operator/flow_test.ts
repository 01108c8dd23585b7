import { expect } from "expect";
import { envoyConfig, eventually, listener } from "../../envoy/harness/mod.ts";
import { machineProgram, programImage } from "../node/mod.ts";
import { isReady, type PodObject, type Scene, sceneTest } from "../node/scene.ts";
import { openGround, type TestObject } from "./ground.ts";
import { CLI } from "../../program.ts";

const IMAGES = {
  "chancery": programImage(CLI, { user: 65532 }),
  "envoyproxy/envoy": await machineProgram("envoy"),
};

/** Numbers of a probe that does not keep a test waiting. */
const QUICK = {
  ...{ initialDelaySeconds: 0, timeoutSeconds: 1, periodSeconds: 1, successThreshold: 1, failureThreshold: 3 },
};

async function podsOf(scene: Scene, component: string): Promise<PodObject[]> {
  const selector = encodeURIComponent(`app.kubernetes.io/component=${component}`);
  return (await scene.get<{ items: PodObject[] }>(`pods?labelSelector=${selector}`)).items;
}

async function readyPods(scene: Scene, component: string, count: number): Promise<PodObject[]> {
  let last: PodObject[] = [];
  return await eventually(async () => {
    last = await podsOf(scene, component);
    return last.length === count && last.every(isReady) && last;
  }, {
    what: `${count} ready pods of ${component}`,
    deadlineMs: 90_000,
    explain: async () =>
      (await Promise.all(
        last.map(async ({ metadata, status }) =>
          `${JSON.stringify(status, null, 1)}\n${await scene.logs(metadata.name).catch(String)}`
        ),
      )).join("\n"),
  });
}

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

sceneTest(
  "A1, A2: certificates are renewed at 80 % of their life, and no pod is started anew for that",
  async (scene) => {
    const { cluster, namespace, node } = scene;
    await using ground = await openGround({ cluster, namespace });
    const operator = ground.operator("operator-1");
    await operator.start();
    await ground.apply("DiscoveryService", "ds", { replicas: 1 });
    const configure = async (text: string) => {
      const config = envoyConfig("edge", [listener("in", { port: 8000, routes: { text } })]);
      await cluster.apply([{ ...config, metadata: { name: "edge", namespace } }]);
    };
    await configure("one");
    await ground.apply("EnvoyDeployment", "front", {
      ...{ envoyConfigRef: "edge", discoveryServiceRef: "ds", readinessProbe: QUICK, duration: "20s" },
      ports: [{ name: "http", port: 8000 }],
    });
    const services = await readyPods(scene, "discovery-service", 1);
    const envoys = await readyPods(scene, "envoy-deployment", 1);
    const path = "apps/v1/deployments/marin3r-ds";
    const before = await ground.until(path, "there", () => true);
    const hashOf = (object: TestObject) => object.metadata.annotations?.["marin3r.3scale.net/server-certificate-hash"];

    await ground.patch("discoveryservices/ds", {
      spec: { pkiConfig: { serverCertificate: { duration: "15s", hosts: ["xds.example.com"] } } },
    });
    const first = await ground.until(path, "told of another certificate", (one) => hashOf(one) !== hashOf(before));
    const client = await ground.get("secrets/envoy-client-cert-front");
    await ground.until(path, "told of a renewed certificate", (one) => hashOf(one) !== hashOf(first));
    await ground.until(
      "secrets/envoy-client-cert-front",
      "renewed",
      ({ data }) => data?.["tls.crt"] !== client?.data?.["tls.crt"],
    );

    await configure("two");
    const [envoy] = envoys;
    await eventually(
      async () => (await node.request(scene.name(envoy!.metadata.name), "http://127.0.0.1:8000/")).body === "two",
      { what: "the configuration to be served", deadlineMs: 30_000 },
    );
    const after = await ground.until(path, "there", () => true);
    expect(after.spec?.["template"]).toEqual(before.spec?.["template"]);
    for (const [component, pods] of [["discovery-service", services], ["envoy-deployment", envoys]] as const) {
      const now = await readyPods(scene, component, 1);
      const told = (all: readonly PodObject[]) =>
        all.map(({ metadata, status }) => [metadata.name, status.containerStatuses?.map((one) => one.restartCount)]);
      expect(told(now)).toEqual(told(pods));
    }
    await operator.stop();
  },
  { images: IMAGES },
);
