/**
 * What cert-manager.io itself makes of `manifests/with-cert-manager`.
 * @module
 */
import { expect } from "expect";
import { INSTALL_NAMESPACE, installOptions, WEBHOOK_CONFIGURATIONS } from "../../src/install/mod.ts";
import { goModule } from "../chart/go_tools.ts";
import { clusterTest, type ControlPlane, startControlPlane } from "../cluster/control_plane/mod.ts";
import { type ConfiguredWebhook, Installation, type TlsSecret } from "../cluster/webhook/installation.ts";
import { envoyConfig, eventually, startProcess, staticCluster } from "../envoy/harness/mod.ts";
import { programPath } from "./programs.ts";

const OVERLAY = decodeURIComponent(new URL("../../manifests/with-cert-manager", import.meta.url).pathname);
const MODULE = { path: "github.com/cert-manager/cert-manager", version: "v1.21.2" };
const DEADLINE_MS = 60_000;

async function kubectl(cluster: ControlPlane, ...args: string[]): Promise<void> {
  const { code, stderr } = await cluster.kubectl(args);
  expect([args.join(" "), code, stderr]).toEqual([args.join(" "), 0, ""]);
}

function isOnly(all: readonly string[], one: string): boolean {
  return all.length === 1 && all[0] === one;
}

clusterTest(
  "cert-manager.io makes the certificate of the webhook, which serves it, and has it trusted",
  async () => {
    await using parts = new AsyncDisposableStack();
    const cluster = parts.use(await startControlPlane());
    await kubectl(
      cluster,
      "apply",
      "--server-side",
      "-f",
      `${await goModule(MODULE.path, MODULE.version)}/deploy/crds`,
    );
    await kubectl(cluster, "wait", "--for=condition=Established", "--timeout=60s", "crd", "--all");
    await kubectl(cluster, "apply", "--server-side", "-k", OVERLAY);
    const manager = parts.use(startProcess({
      name: "cert-manager.io",
      command: await programPath("certmanager"),
      args: [],
      env: { KUBECONFIG: cluster.kubeconfig },
    }));
    const options = installOptions({ "certManager.enabled": true });
    const installed = { options, users: await cluster.namespace("users"), replicas: ["one"] };
    const site = parts.use(await Installation.in(cluster, installed));
    const [webhook] = site.replicas;
    const until = async (what: string, ask: () => Promise<boolean>) =>
      await eventually(ask, {
        what,
        deadlineMs: DEADLINE_MS,
        explain: () => `${manager.tail()}\n${webhook!.process.tail()}`,
      });
    const refused = async () => {
      const bad = { ...envoyConfig("edge", [staticCluster("a", [1], { lb_policy: "BEST" })]) };
      const { stderr } = await cluster.kubectl(["create", "-f", "-"], { stdin: JSON.stringify(bad) });
      return stderr.includes("denied the request") && stderr.includes("lb_policy");
    };
    /** What the API server trusts for the webhooks of both configurations, each once. */
    const trusted = async () => {
      const lists = await Promise.all((["mutating", "validating"] as const).map(async (kind) => {
        const path = `/apis/admissionregistration.k8s.io/v1/${kind}webhookconfigurations/${
          WEBHOOK_CONFIGURATIONS[kind]
        }`;
        return (await cluster.request("GET", path) as { webhooks: ConfiguredWebhook[] }).webhooks;
      }));
      return [...new Set(lists.flat().map(({ clientConfig }) => atob(clientConfig.caBundle ?? "")))];
    };
    const secretPath = `/api/v1/namespaces/${INSTALL_NAMESPACE}/secrets/chancery-webhook-tls`;
    const held = async () => atob((await cluster.request("GET", secretPath) as TlsSecret).data["ca.crt"]);

    webhook!.launch();
    await until("a bad EnvoyConfig to be refused", refused);
    const issued = await held();
    await until("it to be trusted by all", async () => isOnly(await trusted(), issued));
    await webhook!.stop();
    await manager.stop();
  },
);
