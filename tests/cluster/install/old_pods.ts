import { expect } from "expect";
import { runCaptured } from "../../../src/cli/fake_terminal.ts";
import type { PodsReport } from "../../../src/cli/status/pods/report.ts";
import { eventually } from "../../envoy/harness/mod.ts";
import type { ControlPlane } from "../control_plane/mod.ts";
import { template } from "../webhook/injection_site.ts";

/** What a namespace's own roles allow: nothing of the cluster, and nothing of the installation. */
const VIEW = [
  { apiGroups: [""], resources: ["pods"], verbs: ["list"] },
  { apiGroups: ["apps"], resources: ["replicasets", "deployments"], verbs: ["list"] },
  {
    apiGroups: ["operator.marin3r.3scale.net"],
    resources: ["discoveryservices", "envoydeployments"],
    verbs: ["list"],
  },
];
const DEADLINE_MS = 60_000;

/** A Deployment whose old pod goes before the new one comes: there are no nodes, so none is ever ready. */
function web(namespace: string): object {
  const { metadata, spec } = template({ "node-id": "web" });
  return {
    ...{ apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web", namespace } },
    spec: { strategy: { type: "Recreate" }, selector: { matchLabels: { app: "shop" } }, template: { metadata, spec } },
  };
}

/**
 * Pods of a namespace with a DiscoveryService "ds" before and after something has changed of which they are made. `installation` is the
 * namespace of operator and webhook.
 */
export async function oldPods(
  cluster: ControlPlane,
  { namespace, installation }: { namespace: string; installation: string },
): Promise<void> {
  const as = (kubeconfig: string) => (...words: string[]) =>
    runCaptured([
      "status",
      "pods",
      "-l",
      "app=shop",
      "-n",
      namespace,
      "--kubeconfig",
      kubeconfig,
      "--exit-code",
      ...words,
    ]);
  const status = as(cluster.kubeconfig);
  const kubectl = async (...words: string[]) => {
    const { code, stderr } = await cluster.kubectl(words);
    expect([code, stderr.replace(/^Warning.*\n/gm, "")]).toEqual([0, ""]);
  };
  const until = async (what: string, holds: (told: Awaited<ReturnType<typeof status>>) => boolean) => {
    let last = await status();
    await eventually(async () => holds(last = await status()), {
      ...{ what, deadlineMs: DEADLINE_MS, explain: () => JSON.stringify(last) },
    });
    return last.out;
  };
  const current = (what: string) => until(what, (told) => told.status === 0 && / sidecar +Current /.test(told.out));

  await kubectl("wait", "-n", namespace, "discoveryservice/ds", "--for=condition=ServerVerifiable", "--timeout=60s");
  await cluster.apply([web(namespace)]);
  await current("a pod to be what the webhook makes of it");

  const viewer = as(await cluster.serviceAccount(namespace, "viewer", VIEW));
  const refused = await viewer();
  expect([refused.status, refused.out]).toEqual([2, ""]);
  expect(refused.err).toContain("mutatingwebhookconfigurations");
  expect((await viewer("--image", "chancery:1")).status).toBe(0);

  await kubectl(
    "patch",
    "-n",
    namespace,
    "discoveryservice",
    "ds",
    "--type=merge",
    "-p",
    '{"spec":{"xdsServerPort":20000}}',
  );
  const old = await until("the pod to be old", ({ status }) => status === 1);
  expect(old).toMatch(/ sidecar +Old +bootstrap +deployment\/web /);
  expect(old).toContain('warning: --xdss-port of envoy-init-mgr is "18000" and would be "20000"\n');
  const [, next = ""] = /Next: kubectl (.*)\n/.exec(old) ?? [];
  expect(next).toMatch(new RegExp(`^rollout restart deployment/web -n ${namespace} `));
  await kubectl(...next.split(" "));
  await current("the new pod");

  await kubectl("set", "env", "-n", installation, "deployment/chancery-webhook", "RELATED_IMAGE_CHANCERY=chancery:2");
  const { items } = JSON.parse((await status("-o", "json")).out) as PodsReport;
  expect(items.map(({ differences }) => differences)).toEqual([[
    { part: "image", about: "image of envoy-init-mgr", is: "chancery:1", would: "chancery:2" },
  ]]);
  const own = JSON.parse((await status("-o", "json", "-l", "app.kubernetes.io/component=discovery-service")).out);
  expect((own as PodsReport).items.length).toBeGreaterThan(0);
}
