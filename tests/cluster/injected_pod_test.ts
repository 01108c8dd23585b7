import { expect } from "expect";
import { namespaceUri, nodeCertificateName } from "../../src/api/operator/mod.ts";
import { eventually, type Fields, listener, staticCluster } from "../envoy/harness/mod.ts";
import type { ClientReport } from "./injected/client.ts";
import { machineProgram, programImage } from "./node/mod.ts";
import { isReady, type PodObject, type Scene, sceneTest, service } from "./node/scene.ts";
import { type Ground, openGround } from "./operator/ground.ts";
import { CLI } from "../program.ts";
import { InjectionSite, type Pod, template } from "./webhook/injection_site.ts";

function path(relative: string): string {
  return decodeURIComponent(new URL(relative, import.meta.url).pathname);
}

const IMAGES = {
  "chancery": programImage(CLI, { user: 65532 }),
  "envoyproxy/envoy": await machineProgram("envoy", { user: 101 }),
  "app": programImage(path("./injected/app.ts")),
  "client": programImage(path("./injected/client.ts")),
  "sh": {},
};

const ANNOTATIONS = {
  "node-id": "shop",
  "ports": "http:8000",
  "shutdown-manager.enabled": "true",
  "shutdown-manager.drain-time": "60",
  "shutdown-manager.extra-lifecycle-hooks": "app",
};
const MODES = ["container", "native"] as const;

/** What the sidecars get: HTTP on port 8000 and TCP on port 9100, both for the application beside them. */
function config(namespace: string): Fields {
  const open = (item: Fields, port_value: number) => ({
    ...item,
    value: { ...item.value as Fields, address: { socket_address: { address: "0.0.0.0", port_value } } }, // an item has one
  });
  const tcp = {
    type: "listener",
    value: {
      name: "tcp",
      filter_chains: [{
        filters: [{
          name: "tcp",
          typed_config: {
            "@type": "type.googleapis.com/envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy",
            ...{ stat_prefix: "tcp", cluster: "tcp" },
          },
        }],
      }],
    },
  };
  const resources = [
    open(listener("http", { port: 8000, routes: { cluster: "app" } }), 8000),
    open(tcp, 9100),
    staticCluster("app", [8080]),
    staticCluster("tcp", [9000]),
  ];
  return {
    ...{ apiVersion: "marin3r.3scale.net/v1alpha1", kind: "EnvoyConfig", metadata: { name: "shop", namespace } },
    spec: { nodeID: "shop", resources },
  };
}

/** A Deployment of one pod with a sidecar, for the Service "shop". */
function deployment(mode: string): Fields {
  const containers = [{
    ...{ name: "app", image: "app:1" },
    readinessProbe: { httpGet: { path: "/", port: 8080 }, periodSeconds: 1 },
  }];
  const { metadata, spec } = template({ ...ANNOTATIONS, "sidecar-mode": mode }, { containers });
  const labels = { ...metadata.labels, mode };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: mode },
    spec: { selector: { matchLabels: { mode } }, template: { metadata: { ...metadata, labels }, spec } },
  };
}

/** A Job whose pod asks its own sidecar once. */
const JOB: Fields = (() => {
  const command = ["sh", "-c", "curl --silent --fail http://127.0.0.1:9901/ready"];
  const containers = [{ name: "once", image: "sh", command }];
  const { metadata, spec } = template({ "node-id": "shop", "sidecar-mode": "native" }, { containers });
  const labels = { ...metadata.labels, app: "job" };
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name: "once" },
    spec: { template: { metadata: { ...metadata, labels }, spec: { ...spec, restartPolicy: "Never" } } },
  };
})();

/** The pods of a sidecar mode that are not ending. */
async function podsOf(scene: Scene, mode: string): Promise<PodObject[]> {
  const { items } = await scene.get<{ items: (PodObject & { metadata: { deletionTimestamp?: string } })[] }>(
    `pods?labelSelector=mode%3D${mode}`,
  );
  return items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
}

async function readyPod(scene: Scene, mode: string): Promise<PodObject> {
  let last: PodObject[] = [];
  return await eventually(async () => {
    last = await podsOf(scene, mode);
    return last.length === 1 && isReady(last[0]!) && last[0]!;
  }, {
    what: `the pod of mode ${mode} to be ready`,
    deadlineMs: 90_000,
    explain: async () =>
      (await Promise.all(
        last.map(async ({ metadata, status }) =>
          `${JSON.stringify(status, null, 1)}\n${await scene.logs(metadata.name, "envoy-sidecar").catch(String)}`
        ),
      )).join("\n"),
  });
}

/** Status of a request from outside the pod; 0 when nobody listens. */
async function status(pod: PodObject, place: string, method = "GET"): Promise<number> {
  try {
    const response = await fetch(`http://${pod.status.podIP}:${place}`, { method });
    await response.body?.cancel();
    return response.status;
  } catch {
    return 0;
  }
}

/** Has the discovery service ask for certificates that grant the very node id: those of pods that are made then do, the others do not. */
async function askForNodeIds(scene: Scene, ground: Ground): Promise<void> {
  await ground.patch("discoveryservices/ds", { spec: { clientAuthorization: "NodeID" } });
  const certificate = nodeCertificateName("shop");
  await ground.reason(`discoveryservicecertificates/${certificate}`, "Ready", "CertificateUsable", 60_000);
  const server = await eventually(async () => {
    const { items } = await scene.get<{ items: (PodObject & Pod)[] }>(
      `pods?labelSelector=${encodeURIComponent("app.kubernetes.io/component=discovery-service")}`,
    );
    return items.find((pod) => isReady(pod) && pod.spec.containers[0]!.args?.includes("--client-authorization=NodeID"));
  }, {
    what: "a discovery service that asks for it",
    deadlineMs: 90_000,
    explain: async () => JSON.stringify((await ground.get("discoveryservices/ds"))?.status, null, 1),
  });
  const stranger = await readyPod(scene, "native"); // of the namespace, as all were
  const [earlier] = await podsOf(scene, "container");
  await scene.cluster.request("DELETE", scene.path(`pods/${earlier!.metadata.name}`));
  const own = await readyPod(scene, "container"); // it has its configuration
  const { spec } = await scene.pod(own.metadata.name) as PodObject & Pod;
  expect(JSON.stringify(spec.volumes)).toContain(`"name":"${certificate}"`);
  const logs = () => scene.logs(server.metadata.name);
  for (const words of [`CN=${certificate}","by":"node-id"`, `and has \\"${namespaceUri(scene.namespace)}\\"`]) {
    await eventually(async () => (await logs()).includes(words), { what: words, deadlineMs: 60_000, explain: logs });
  }
  expect(isReady(await scene.pod(stranger.metadata.name))).toBe(true); // it goes on with what it has
}

sceneTest(
  "A4, A5, S2, S5, C12, O5: injected pods wait for their configuration, show what they may, and end without a failed request",
  async (scene) => {
    const { cluster, namespace, node } = scene;
    await using ground = await openGround({ cluster, namespace });
    const operator = ground.operator("operator-1");
    await operator.start();
    await ground.apply("DiscoveryService", "ds", { replicas: 1, pkiConfig: { trustDelay: "2s" } });
    await using _site = await InjectionSite.open({ namespace, image: "chancery:1" });
    // Before that nobody could verify the server.
    await ground.reason("discoveryservices/ds", "ServerVerifiable", "NamesAndBundleInPlace", 60_000);
    await ground.reason("discoveryservices/ds", "Ready", "AllReplicasReady", 60_000);
    await scene.create(
      ...MODES.map(deployment),
      JOB,
      service("shop", {
        selector: { app: "shop" },
        ports: [{ name: "http", port: 80, targetPort: "http" }],
      }),
    );

    // No configuration, and nobody is ready or killed for that.
    for (const mode of MODES) {
      const [pod] = await eventually(async () => {
        const pods = await podsOf(scene, mode);
        return pods[0]?.status.podIP !== undefined && pods;
      }, { what: `the pod of mode ${mode}`, deadlineMs: 60_000 });
      await eventually(
        async () =>
          (await scene.logs(pod!.metadata.name, "envoy-sidecar").catch(() => "")).includes(
            "starting main dispatch loop",
          ),
        { what: "Envoy to run", deadlineMs: 60_000 },
      );
      const { spec, status: now } = await scene.pod(pod!.metadata.name) as PodObject & Pod;
      expect(spec.initContainers[0]?.args).toContain("--ca-certificate-file"); // what is asked is verified
      const sidecar = [...now.containerStatuses ?? [], ...now.initContainerStatuses ?? []].find(({ name }) =>
        name === "envoy-sidecar"
      );
      expect([mode, sidecar?.started, sidecar?.restartCount]).toEqual([mode, false, 0]);
      const app = now.containerStatuses?.find(({ name }) => name === "app");
      expect([mode, app?.state.running !== undefined]).toEqual([mode, mode === "container"]);
    }
    await cluster.apply([config(namespace)]);
    const pods = Object.fromEntries(
      await Promise.all(MODES.map(async (mode) => [mode, await readyPod(scene, mode)] as const)),
    );

    const clusterIP = (await scene.get<{ spec: { clusterIP: string } }>("services/shop")).spec.clusterIP;
    await scene.create({
      kind: "Pod",
      metadata: { name: "client" },
      spec: { containers: [{ name: "client", image: "client", args: [clusterIP] }] },
    });
    const clientIP = (await scene.ready("client")).status.podIP;
    const report = async (): Promise<ClientReport> => await (await fetch(`http://${clientIP}:8080/`)).json();

    for (const mode of MODES) {
      const pod = pods[mode]!;
      const { name } = pod.metadata;
      // All may see how it is; only the pod itself may do anything.
      const seen = ["9901/ready", "9901/live", "9901/stats/prometheus", "9901/config_dump", "19901/ready"];
      expect(await Promise.all(seen.map((place) => status(pod, place)))).toEqual([200, 200, 200, 404, 0]);
      expect(await status(pod, "9901/healthcheck/fail", "POST")).toBe(404);
      expect(await status(pod, "8090/drain")).toBe(403);
      const inside = await node.request(
        scene.name(name),
        "http://127.0.0.1:19901/config_dump?resource=dynamic_active_clusters",
      );
      expect([inside.status, inside.body.includes("outlier")]).toEqual([200, false]);

      // The client has asked this pod, and it ends with all kinds of connections open.
      await eventually(async () => (await report()).pods.includes(name), {
        what: `an answer of ${name}`,
        deadlineMs: 30_000,
      });
      using tcp = await Deno.connect({ hostname: pod.status.podIP!, port: 9100 });
      const before = await report();
      await cluster.request("DELETE", scene.path(`pods/${name}`));
      await eventually(async () => await status(pod, "9901/ready") === 503, {
        what: "Envoy to drain",
        deadlineMs: 30_000,
      });
      expect(await status(pod, "9901/live")).toBe(200);
      const alone = '"connections":1}';
      await eventually(async () => (await scene.logs(name, "envoy-shtdn-mgr")).includes(alone), {
        what: "all connections but one to end",
        deadlineMs: 30_000,
        explain: () => scene.logs(name, "envoy-shtdn-mgr"),
      });
      await tcp.write(new TextEncoder().encode("still"));
      const bytes = new Uint8Array(16);
      expect(new TextDecoder().decode(bytes.subarray(0, await tcp.read(bytes) ?? 0))).toBe("still");
      const during = await report();
      expect(during.http1.requests).toBeGreaterThan(before.http1.requests);
      expect(during.http2.requests).toBeGreaterThan(before.http2.requests);
      expect(during.http1.closed).toBeGreaterThan(before.http1.closed);

      tcp.close();
      const closed = performance.now();
      await scene.gone(name);
      expect(performance.now() - closed).toBeLessThan(30_000); // a drain may take 60 s
      await readyPod(scene, mode);
    }
    const { http1, http2 } = await report();
    expect([http1.failures, http2.failures]).toEqual([[], []]);

    await eventually(async () => {
      const job = await scene.get<{ status: { succeeded?: number } }>("batch/v1/jobs/once");
      return job.status.succeeded === 1;
    }, { what: "the Job to complete", deadlineMs: 60_000 });

    await askForNodeIds(scene, ground);
    await operator.stop();
  },
  { images: IMAGES },
);
