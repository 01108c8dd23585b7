import { expect } from "expect";
import { createAuthority } from "../certificates.ts";
import { eventually } from "../envoy/harness/mod.ts";
import { machineProgram } from "./node/mod.ts";
import { echo, IMAGES, podOf, sceneTest, service } from "./node/scene.ts";

/** An admission webhook that refuses everything, in its own Pod's name. */
const REFUSER = `
  const read = (name) => Deno.readTextFileSync("/certs/" + name);
  Deno.serve({ port: 8443, cert: read("tls.crt"), key: read("tls.key") }, async (request) => {
    if (request.method === "GET") return new Response(request.headers.get("host"));
    const { request: { uid } } = await request.json();
    const status = { message: "not through " + Deno.hostname() };
    return Response.json({ apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", response: { uid, allowed: false, status } });
  });
`;

sceneTest("the API server reaches a webhook behind a Service", async (scene) => {
  const { cluster, namespace } = scene;
  const authority = await createAuthority();
  const { cert, key } = await authority.issue({ commonName: "webhook", dns: [`hook.${namespace}.svc`] });
  await scene.create(
    { kind: "Secret", metadata: { name: "certs" }, stringData: { "tls.crt": cert, "tls.key": key } },
    service("hook", { ports: [{ port: 443, targetPort: 8443 }] }),
    podOf("hook", {
      volumes: [{ name: "certs", secret: { secretName: "certs" } }],
      containers: [{
        name: "hook",
        image: "echo",
        command: ["/usr/local/bin/deno", "eval", "--quiet", REFUSER],
        volumeMounts: [{ name: "certs", mountPath: "/certs" }],
        readinessProbe: { httpGet: { scheme: "HTTPS", port: 8443, httpHeaders: [{ name: "host", value: "x" }] } },
      }],
    }),
  );
  await scene.ready("hook");
  const path = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";
  const refused = () => scene.create({ kind: "ConfigMap", metadata: { name: "any" } }).then(() => undefined, String);
  await cluster.request("POST", path, {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingWebhookConfiguration",
    metadata: { name: namespace },
    webhooks: [{
      name: "hook.chancery.test",
      clientConfig: { service: { name: "hook", namespace }, caBundle: btoa(authority.cert) },
      namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": namespace } },
      rules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] }],
      admissionReviewVersions: ["v1"],
      sideEffects: "None",
      timeoutSeconds: 5,
    }],
  });
  try {
    await eventually(async () => (await refused())?.includes("not through hook"), {
      what: "a refusal",
      deadlineMs: 30_000,
    });
  } finally {
    await cluster.request("DELETE", `${path}/${namespace}`);
  }
});

sceneTest(
  "a real Envoy serves on port 443 without being root, finds others by name, and can be cut off",
  async (scene) => {
    const bootstrap = {
      static_resources: {
        listeners: [{
          name: "edge",
          address: { socket_address: { address: "0.0.0.0", port_value: 443 } },
          filter_chains: [{
            filters: [{
              name: "http",
              typed_config: {
                "@type":
                  "type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager",
                stat_prefix: "http",
                route_config: {
                  virtual_hosts: [{
                    name: "all",
                    domains: ["*"],
                    routes: [{ match: { prefix: "/" }, route: { cluster: "echo" } }],
                  }],
                },
                http_filters: [{
                  name: "router",
                  typed_config: { "@type": "type.googleapis.com/envoy.extensions.filters.http.router.v3.Router" },
                }],
              },
            }],
          }],
        }],
        clusters: [{
          name: "echo",
          type: "STRICT_DNS",
          load_assignment: {
            cluster_name: "echo",
            endpoints: [{
              lb_endpoints: [{
                endpoint: { address: { socket_address: { address: `echo.${scene.namespace}.svc`, port_value: 80 } } },
              }],
            }],
          },
        }],
      },
    };
    await scene.create(
      service("echo"),
      podOf("echo", { securityContext: { runAsUser: 65532, runAsNonRoot: true }, containers: [echo()] }),
      { kind: "ConfigMap", metadata: { name: "bootstrap" }, data: { "envoy.json": JSON.stringify(bootstrap) } },
      service("edge", { ports: [{ port: 80, targetPort: 443 }] }),
      podOf("edge", {
        securityContext: { runAsUser: 101, sysctls: [{ name: "net.ipv4.ip_unprivileged_port_start", value: "0" }] },
        volumes: [{ name: "bootstrap", configMap: { name: "bootstrap" } }],
        containers: [{
          name: "envoy",
          image: "envoyproxy/envoy:v1.40.0",
          command: ["envoy"],
          args: ["-c", "/etc/envoy/envoy.json", "--log-level", "warn"],
          volumeMounts: [{ name: "bootstrap", mountPath: "/etc/envoy" }],
          readinessProbe: { tcpSocket: { port: 443 } },
          securityContext: { capabilities: { drop: ["ALL"] }, allowPrivilegeEscalation: false },
        }],
      }),
    );
    await scene.ready("echo");
    const edge = scene.name("edge");
    const { status } = await scene.ready("edge");
    const ask = async () => {
      const answer = await scene.node.request(edge, `http://edge.${scene.namespace}.svc.cluster.local/`);
      return answer.status === 200 && JSON.parse(answer.body).hostname;
    };
    expect(await eventually(ask, { what: "an answer" })).toBe("echo");

    // Cut off, the Pod is there and silent.
    const direct = () =>
      fetch(`http://${status.podIP}:443/`, { signal: AbortSignal.timeout(500) }).then((it) => it.json());
    expect(await direct()).toMatchObject({ hostname: "echo" });
    await scene.node.setLink(edge, "down");
    await expect(direct()).rejects.toThrow();
    await scene.node.setLink(edge, "up");
    await eventually(direct, { what: "an answer again" });
  },
  { images: { ...IMAGES, "envoyproxy/envoy": await machineProgram("envoy") } },
);
