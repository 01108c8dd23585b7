import { expect } from "expect";
import { createAuthority } from "../../certificates.ts";
import { clusterTest, sharedControlPlane } from "./mod.ts";

clusterTest("serviceAccount() may do what its rules say and nothing else", async () => {
  const cluster = await sharedControlPlane();
  const namespace = await cluster.namespace();
  const rules = [{ apiGroups: [""], resources: ["configmaps"], verbs: ["create", "get"] }];
  const kubeconfig = await cluster.serviceAccount(namespace, "reader", rules);
  const can = async (...args: string[]) =>
    (await cluster.kubectl(["--kubeconfig", kubeconfig, "auth", "can-i", ...args])).stdout.trim();
  expect(await can("create", "configmaps")).toBe("yes");
  expect(await can("delete", "configmaps")).toBe("no");
  expect(await can("create", "configmaps", "-n", await cluster.namespace())).toBe("no");
  const made = await cluster.kubectl(["--kubeconfig", kubeconfig, "create", "configmap", "a"]);
  expect(made.stdout).toBe("configmap/a created\n");
});

clusterTest("token() gives tokens of any lifetime, which run out", async () => {
  const cluster = await sharedControlPlane();
  const namespace = await cluster.namespace();
  await cluster.serviceAccount(namespace, "short", []);
  expect(await whoIs(cluster, await cluster.token(namespace, "short", 60))).toBe(
    `system:serviceaccount:${namespace}:short`,
  );
  expect(await whoIs(cluster, await cluster.token(namespace, "short"))).toBe(
    `system:serviceaccount:${namespace}:short`,
  );
  expect(await whoIs(cluster, await cluster.token(namespace, "short", -60))).toBe("refused");
});

clusterTest("route() brings a webhook of type Service to a process, and again to another", async () => {
  const cluster = await sharedControlPlane();
  const namespace = await cluster.namespace();
  const authority = await createAuthority();
  const certificate = await authority.issue({ commonName: "hook", dns: [`hook.${namespace}.svc`] });
  await cluster.apply([
    {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: "hook", namespace },
      spec: { ports: [{ port: 443, targetPort: 9443 }] },
    },
    {
      apiVersion: "admissionregistration.k8s.io/v1",
      kind: "ValidatingWebhookConfiguration",
      metadata: { name: namespace },
      webhooks: [{
        name: "hook.chancery.test",
        namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": namespace } },
        rules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] }],
        clientConfig: { service: { namespace, name: "hook", path: "/ask" }, caBundle: btoa(authority.cert) },
        sideEffects: "None",
        admissionReviewVersions: ["v1"],
        matchConditions: [{ name: "ours", expression: "object.metadata.name.startsWith('ours')" }],
      }],
    },
  ]);
  try {
    for (const words of ["said the first", "said the second"]) {
      const asked: string[] = [];
      await using server = Deno.serve(
        { hostname: "127.0.0.1", port: 0, ...certificate, onListen: () => {} },
        async (request) => {
          const { request: { uid } } = await request.json();
          asked.push(new URL(request.url).pathname);
          const response = { uid, allowed: false, status: { message: words } };
          return Response.json({ apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", response });
        },
      );
      await cluster.route(`${namespace}/hook`, 443, `127.0.0.1:${server.addr.port}`);
      const create = () => cluster.kubectl(["create", "configmap", "ours", "--dry-run=server", "-n", namespace]);
      let stderr = "";
      // A registration is seen by the API server a moment later, and it keeps a connection that it has.
      for (const deadline = Date.now() + 20_000; !stderr.includes(words) && Date.now() < deadline;) {
        ({ stderr } = await create());
      }
      expect(stderr).toContain(words);
      expect(new Set(asked)).toEqual(new Set(["/ask"]));
    }
  } finally {
    await cluster.route(`${namespace}/hook`, 443, undefined);
    await cluster.kubectl(["delete", "validatingwebhookconfiguration", namespace]);
  }
});

clusterTest("the shared control plane is not for breaking", async () => {
  const cluster = await sharedControlPlane();
  await expect(cluster.stop("etcd")).rejects.toThrow("start one of your own");
});

async function whoIs(cluster: { server: string; ca: string }, token: string): Promise<string> {
  using client = Deno.createHttpClient({ caCerts: [cluster.ca] });
  const response = await fetch(`${cluster.server}/apis/authentication.k8s.io/v1/selfsubjectreviews`, {
    method: "POST",
    client,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" }),
  });
  const answer = await response.json();
  return response.ok ? answer.status.userInfo.username : "refused";
}
