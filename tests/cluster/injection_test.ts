import { expect } from "expect";
import { eventually } from "../envoy/harness/mod.ts";
import { clusterTest } from "./control_plane/mod.ts";
import { type Container, discoveryService, InjectionSite, podOf, template } from "./webhook/injection_site.ts";

clusterTest(
  "C15: a pod with bad annotations is refused, and the user reads all of them; a Deployment tells them in an Event",
  async () => {
    await using site = await InjectionSite.open();
    await site.apply(discoveryService("ds"));
    const bad = { "node-id": "shop", "admin.port": "x", "shutdown-manager.enabled": "yes" };
    const message = 'admission webhook "sidecar-injector.marin3r.3scale.net" denied the request: ' +
      'Cannot give the pod its sidecar: marin3r.3scale.net/admin.port: "x" is not a port from 1024 to 65535; ' +
      'marin3r.3scale.net/shutdown-manager.enabled: "yes" is not "true" or "false"';
    const { code, stderr } = await site.apply(podOf("bad", bad));
    expect([code, stderr.includes(message)]).toEqual([1, true]);
    const deployment = {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "shop" },
      spec: { selector: { matchLabels: { app: "shop" } }, template: template(bad) },
    };
    expect((await site.apply(deployment)).code).toBe(0);
    await eventually(
      async () =>
        (await site.kubectl("get", "events", "-o", "json")).stdout.includes(JSON.stringify(message).slice(1, -1)),
      {
        what: "an Event that says it",
        deadlineMs: 30_000,
      },
    );
    // Mended, and with a misspelt one, which is a warning.
    const mended = await site.apply({
      ...deployment,
      spec: { ...deployment.spec, template: template({ "node-id": "shop" }) },
    });
    expect(mended.code).toBe(0);
    const pods = await eventually(async () => {
      const { items = [] } = await site.get("pods", "-l", "app=shop");
      return items.length > 0 ? items : undefined;
    }, { what: "the pod of the Deployment", deadlineMs: 30_000 });
    expect(pods[0]!.spec.containers.map(({ name }) => name)).toEqual(["app", "envoy-sidecar"]);
    expect((await site.apply(podOf("warned", { "node-id": "a", "clustr-id": "b" }))).stderr.trim()).toBe(
      "Warning: marin3r.3scale.net/clustr-id: is no annotation of a sidecar and has no effect, " +
        'did you mean "marin3r.3scale.net/cluster-id"?',
    );
    expect(await site.webhook.reviews('result="denied"', 'reason="invalid"')).toBeGreaterThan(1);
    expect(await site.webhook.reviews('result="allowed"', 'reason="injected"')).toBeGreaterThan(1);
  },
);

clusterTest(
  "O5, C12, C20: the API server takes both kinds of sidecar, and what it returns is not injected again",
  async () => {
    await using site = await InjectionSite.open();
    // Service and pod come in one file: the watch may tell of the service only after the pod was asked about.
    const together = {
      apiVersion: "v1",
      kind: "List",
      items: [discoveryService("ds", { xdsServerPort: 20_000 }), podOf("first", { "node-id": "a" })],
    };
    expect((await site.apply(together)).stderr).toBe("");
    const { spec } = await site.get("pod", "first");
    expect(spec.initContainers[0]!.args!.join(" ")).toContain(
      `--xdss-host marin3r-ds.${site.namespace}.svc --xdss-port 20000`,
    );

    const all = {
      "node-id": "shop",
      ports: "envoy-https:8443,dns:5353:UDP",
      "host-port-mappings": "envoy-https:18443",
      "resources.limits.memory": "256Mi",
      "shutdown-manager.enabled": "true",
      "shutdown-manager.drain-time": "60",
      "shutdown-manager.extra-lifecycle-hooks": "app",
    };
    for (const [name, more] of [["classic", {}], ["native", { "sidecar-mode": "native" }]] as const) {
      expect(await site.apply(podOf(name, { ...all, ...more }))).toMatchObject({ code: 0, stderr: "" });
      const pod = await site.get("pod", name);
      expect(pod.spec.terminationGracePeriodSeconds).toBe(90);
      expect(pod.spec.containers[0]!.lifecycle).toEqual({
        preStop: { httpGet: { path: "/shutdown", port: 8090, scheme: "HTTP" } },
      });
      const names = (containers: readonly Container[]) => containers.map(({ name }) => name);
      const helpers = ["envoy-init-mgr", "envoy-shtdn-mgr", "envoy-sidecar"];
      if (name === "native") {
        expect([names(pod.spec.initContainers), names(pod.spec.containers)]).toEqual([helpers, ["app"]]);
        expect(pod.spec.initContainers.map(({ restartPolicy }) => restartPolicy)).toEqual([
          undefined,
          "Always",
          "Always",
        ]);
      } else {
        expect(names(pod.spec.containers)).toEqual(["app", "envoy-sidecar", "envoy-shtdn-mgr"]);
      }
      // As people copy pods: what the API server returned is applied under another name.
      const copy = { ...pod, metadata: { ...podOf("x", all).metadata, name: `${name}-copy` } };
      const copied = await site.apply(copy);
      expect([copied.code, copied.stderr]).toEqual([
        0,
        'Warning: spec: the pod has the sidecar "envoy-sidecar" already; nothing is added\n',
      ]);
      const { spec } = await site.get("pod", `${name}-copy`);
      expect([names(spec.initContainers), names(spec.containers)]).toEqual([
        names(pod.spec.initContainers),
        names(pod.spec.containers),
      ]);
    }
  },
);

clusterTest("S6: a restricted namespace admits a restricted pod with its sidecar", async () => {
  await using site = await InjectionSite.open();
  await site.apply(discoveryService("ds"));
  await site.cluster.kubectl(["label", "namespace", site.namespace, "pod-security.kubernetes.io/enforce=restricted"]);
  const securityContext = {
    allowPrivilegeEscalation: false,
    runAsNonRoot: true,
    capabilities: { drop: ["ALL"] },
    seccompProfile: { type: "RuntimeDefault" },
  };
  const containers = [{ name: "app", image: "example.com/app", securityContext }];
  for (const mode of ["container", "native"]) {
    const annotations = { "node-id": "shop", "shutdown-manager.enabled": "true", "sidecar-mode": mode };
    const { code, stderr } = await site.apply(podOf(mode, annotations, { containers }));
    expect([mode, code, stderr.replace(/^Warning:.*\n/, "")]).toEqual([mode, 0, ""]);
  }
  const open = await site.apply(podOf("open", { "node-id": "shop" }));
  expect([open.code, open.stderr.includes("violates PodSecurity")]).toEqual([1, true]);
});

clusterTest("A8: when the webhook is away, pods that ask for no sidecar start as ever", async () => {
  await using site = await InjectionSite.open();
  await site.webhook.process[Symbol.asyncDispose]();
  const { metadata, ...plain } = podOf("plain", {});
  expect((await site.apply({ ...plain, metadata: { name: metadata.name } })).code).toBe(0);
  const held = await site.apply(podOf("held", { "node-id": "shop" }));
  expect([held.code, held.stderr.includes('failed calling webhook "sidecar-injector.marin3r.3scale.net"')]).toEqual([
    1,
    true,
  ]);
});
