import { expect } from "expect";
import { parseYaml } from "../../src/base/yaml/mod.ts";
import { buildBootstrap, parseAddress } from "../../src/bootstrap/mod.ts";
import { createAuthority, type IssuedCertificate } from "../certificates.ts";
import { envoyConfig, eventually, listener } from "../envoy/harness/mod.ts";
import { machineProgram, programImage } from "./node/mod.ts";
import { podOf, type Scene, sceneTest } from "./node/scene.ts";
import { CLI } from "../program.ts";

const ROLE = new URL("../../manifests/discovery-service/role.yaml", import.meta.url);
const IMAGES = { "chancery": programImage(CLI), "envoyproxy/envoy": await machineProgram("envoy") };
const TLS = "/etc/envoy/tls";

/** As an administrator who enforces the standard "restricted" wants it. */
const CONFINED = {
  runAsNonRoot: true,
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ["ALL"] },
};

function tlsSecret(name: string, { cert, key }: IssuedCertificate, ca: string) {
  return { kind: "Secret", metadata: { name }, stringData: { "tls.crt": cert, "tls.key": key, "ca.crt": ca } };
}

/** A service account that may do what a discovery service may. */
async function account(scene: Scene): Promise<void> {
  const [role] = parseYaml(await Deno.readTextFile(ROLE), "role.yaml").documents;
  const { rules } = role?.value as { rules: object[] }; // a Role
  const apiVersion = "rbac.authorization.k8s.io/v1";
  const metadata = { name: "xds" };
  await scene.create(
    { kind: "ServiceAccount", metadata },
    { apiVersion, kind: "Role", metadata, rules },
    {
      apiVersion,
      kind: "RoleBinding",
      metadata,
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "xds" },
      subjects: [{ kind: "ServiceAccount", name: "xds", namespace: scene.namespace }],
    },
  );
}

function discoveryService(namespace: string) {
  const labels = { app: "xds" };
  const volume = (name: string, keys: readonly string[]) => ({
    name,
    secret: { secretName: "server", items: keys.map((key) => ({ key, path: key })) },
  });
  const container = {
    name: "chancery",
    image: "chancery:1",
    args: [
      "discovery-service",
      "--lease-duration",
      "3s",
      "--lease-renew-deadline",
      "2s",
      "--lease-retry-period",
      "300ms",
    ],
    env: [
      { name: "WATCH_NAMESPACE", value: namespace },
      { name: "POD_NAME", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
      { name: "POD_NAMESPACE", valueFrom: { fieldRef: { fieldPath: "metadata.namespace" } } },
    ],
    ports: [{ name: "xds", containerPort: 18000 }],
    readinessProbe: { httpGet: { path: "/readyz", port: 8081 } },
    livenessProbe: { httpGet: { path: "/healthz", port: 8081 } },
    securityContext: CONFINED,
    volumeMounts: [
      { name: "server", mountPath: "/etc/marin3r/tls/server" },
      { name: "ca", mountPath: "/etc/marin3r/tls/ca" },
    ],
  };
  const spec = {
    serviceAccountName: "xds",
    securityContext: { runAsUser: 65532 },
    containers: [container],
    volumes: [volume("server", ["tls.crt", "tls.key"]), volume("ca", ["ca.crt"])],
  };
  return [
    {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "xds" },
      spec: { replicas: 2, selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
    },
    {
      kind: "Service",
      metadata: { name: "xds" },
      spec: { selector: labels, ports: [{ port: 18000, targetPort: "xds" }] },
    },
  ];
}

/** An Envoy that knows where its control plane is and nothing else. */
function envoyPod(namespace: string) {
  const { bootstrap, files } = buildBootstrap({
    nodeId: "edge",
    xds: [parseAddress(`xds.${namespace}.svc:18000`)],
    tls: { dir: TLS, sdsDir: "/etc/envoy" },
  });
  const documents = files.map(({ path, document }) => [path.slice("/etc/envoy/".length), JSON.stringify(document)]);
  const data = { "bootstrap.json": JSON.stringify(bootstrap), ...Object.fromEntries(documents) };
  return [
    { kind: "ConfigMap", metadata: { name: "bootstrap" }, data },
    podOf("edge", {
      securityContext: { runAsUser: 101 },
      volumes: [{ name: "bootstrap", configMap: { name: "bootstrap" } }, {
        name: "tls",
        secret: { secretName: "client" },
      }],
      containers: [{
        name: "envoy",
        image: "envoyproxy/envoy:v1.40.0",
        command: ["envoy", "-c", "/etc/envoy/bootstrap.json", "--log-level", "warn"],
        securityContext: CONFINED,
        volumeMounts: [{ name: "bootstrap", mountPath: "/etc/envoy" }, { name: "tls", mountPath: TLS }],
      }],
    }),
  ];
}

sceneTest(
  "an Envoy in a Pod is served by two discovery services in Pods, without root, also when one of them is deleted",
  async (scene) => {
    const { cluster, namespace, node } = scene;
    await cluster.applyCrds();
    const authority = await createAuthority();
    const server = await authority.issue({ commonName: "xds", dns: [`xds.${namespace}.svc`] });
    await account(scene);
    await scene.create(
      tlsSecret("server", server, authority.cert),
      tlsSecret("client", await authority.issue({ commonName: "edge" }), authority.cert),
      ...discoveryService(namespace),
      ...envoyPod(namespace),
    );
    const serve = (text: string) => {
      const manifest = envoyConfig("edge", [listener("in", { port: 8000, routes: { text } })]);
      return cluster.apply([{ ...manifest, metadata: { name: "edge", namespace } }]);
    };
    // The listener is on the loopback of the Pod, which is its own.
    const served = (text: string) =>
      eventually(async () => (await node.request(scene.name("edge"), "http://127.0.0.1:8000/")).body === text, {
        what: `"${text}" to be served`,
        deadlineMs: 30_000,
        explain: async () => (await Promise.all(node.pods.map(({ metadata }) => scene.logs(metadata.name)))).join("\n"),
      });
    await serve("one");
    await scene.readyPods("xds", 2);
    await served("one");

    const [first] = await scene.pods("xds");
    await cluster.request("DELETE", scene.path(`pods/${first?.metadata.name}`));
    await serve("two");
    await served("two");
    const pods = await scene.readyPods("xds", 2);
    expect(pods.map(({ metadata }) => metadata.name)).not.toContain(first?.metadata.name);
    expect(await scene.logs(first?.metadata.name ?? "")).not.toContain("error");
  },
  { images: IMAGES },
);
