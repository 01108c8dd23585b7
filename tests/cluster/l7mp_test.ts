import { expect } from "expect";
import { parseYaml } from "../../src/base/yaml/mod.ts";
import { eventually, type Fields, freePort, startEnvoy } from "../envoy/harness/mod.ts";
import {
  clientAddress,
  listenerEntry,
  originalBootstrap,
  podAddress,
  startDatagramStream,
  startEchoServer,
  virtualService,
} from "../virtual_service/harness/mod.ts";
import { clusterTest, type ControlPlane, sharedControlPlane } from "./control_plane/mod.ts";
import { kubeconfigOf } from "./control_plane/kubeconfig.ts";
import { Replica } from "./discovery_service/replica.ts";
import { runPod } from "./discovery_service/run_pod.ts";

const MANIFESTS = new URL("../../manifests/l7mp/", import.meta.url);
const NAMESPACE = "operator-system";
const ACCOUNT = "chancery-virtual-services";
const DEADLINE_MS = 40_000;

clusterTest(
  "an Envoy of l7mp-xds-operator is served by what manifests/l7mp installs, with its rights and its arguments",
  async () => {
    const cluster = await sharedControlPlane();
    await cluster.applyCrds();
    await using cleanUp = new AsyncDisposableStack();
    for (const kind of ["clusterrole", "clusterrolebinding"]) {
      cleanUp.defer(async () => void await cluster.kubectl(["delete", kind, ACCOUNT, "--ignore-not-found"]));
    }
    cleanUp.defer(async () =>
      void await cluster.kubectl(["delete", "namespace", NAMESPACE, "--wait=false", "--ignore-not-found"])
    );
    const applied = await cluster.kubectl(["apply", "--server-side", "--force-conflicts", "-k", MANIFESTS.pathname]);
    expect({ code: applied.code, stderr: applied.stderr }).toEqual({ code: 0, stderr: "" });
    const { spec } = await cluster.request("GET", `/api/v1/namespaces/${NAMESPACE}/services/operator-service`) as {
      spec: { ports: { port: number; protocol: string }[] };
    };
    expect(spec.ports).toMatchObject([{ port: 18000, protocol: "TCP" }]);
    await expectRights(cluster);

    // There is no node in this cluster: what would run in the pod runs beside it.
    const folder = cleanUp.adopt(
      await Deno.makeTempDir({ prefix: "l7mp-" }),
      (path) => Deno.remove(path, { recursive: true }),
    );
    const token = await cluster.token(NAMESPACE, ACCOUNT);
    const kubeconfig = `${folder}/kubeconfig`;
    await Deno.writeTextFile(kubeconfig, kubeconfigOf(cluster.server, cluster.ca, { token }, NAMESPACE), {
      mode: 0o600,
    });
    const [, ...args] = await argumentsOfTheDeployment();
    const replica = cleanUp.use(
      new Replica({ name: "l7mp-a", kubeconfig, namespace: NAMESPACE, namespaces: [], folder, args }),
    );
    await replica.start();

    const namespace = await cluster.namespace();
    const [port, toPort] = [freePort(), freePort()];
    await using _worker = await startEchoServer({ name: "worker", address: podAddress(81), port: toPort });
    const uid = await runPod({ cluster, namespace }, "ingress", {
      labels: { app: "envoy-ingress" },
      ip: podAddress(80),
    });
    await runPod({ cluster, namespace }, "worker", { labels: { app: "worker" }, ip: podAddress(81) });
    await using envoy = await startEnvoy({
      bootstrap: originalBootstrap(uid, { xdsAddress: `127.0.0.1:${replica.xdsPort}` }),
    });
    const entry = listenerEntry("in", { port, to: { app: "worker" }, toPort, cluster: { hash_key: "call-1" } });
    await cluster.apply([virtualService("in", { selector: { app: "envoy-ingress" }, listeners: [entry], namespace })]);
    await eventually(
      async () => await envoy.ready() && await envoy.stat("listener_manager.total_listeners_active") === 1,
      {
        what: "Envoy to have its listener",
        deadlineMs: DEADLINE_MS,
        explain: () => `${replica.process.tail()}\n${envoy.process.tail()}`,
      },
    );
    await using stream = await startDatagramStream({ port, clients: [clientAddress(80)] });
    expect([...stream.answeredBy(await stream.flows()).keys()]).toEqual(["worker"]);

    const path = `/apis/servicemesh.l7mp.io/v1/namespaces/${namespace}/virtualservices/in`;
    await eventually(async () => {
      expect(await cluster.request("GET", path)).toMatchObject({
        status: { nodes: { served: 1, accepted: 1, rejected: 0 } },
      });
      return true;
    }, { what: "the status", deadlineMs: DEADLINE_MS, explain: () => replica.process.tail() });
    const { stdout } = await cluster.kubectl(["get", "mvs", "-n", namespace, "--no-headers"]);
    expect(stdout.split(/\s+/).slice(0, 5)).toEqual(["in", "1", "1", "1", "0"]);
    await cluster.request("DELETE", path);
    await eventually(async () => await envoy.stat("listener_manager.total_listeners_active") === 0, {
      what: "the listener to go",
      deadlineMs: DEADLINE_MS,
    });
    await replica.stop();
    const refused = replica.process.lines.filter((line) => /forbidden|\b403\b/i.test(line));
    expect(refused).toEqual([]);
  },
);

/** Just what is needed, in all namespaces; none of it for Secrets. */
async function expectRights(cluster: ControlPlane): Promise<void> {
  const may = async (verb: string, what: string, where: readonly string[]) => {
    const account = `--as=system:serviceaccount:${NAMESPACE}:${ACCOUNT}`;
    return (await cluster.kubectl(["auth", "can-i", verb, what, ...where, account])).stdout.trim();
  };
  await eventually(async () => await may("watch", "virtualservices.servicemesh.l7mp.io", ["-A"]) === "yes", {
    what: "the rights to be known",
    deadlineMs: DEADLINE_MS,
  });
  for (const what of ["secrets", "configmaps", "envoyconfigs.marin3r.3scale.net"]) {
    expect([what, await may("get", what, ["-n", "default"])]).toEqual([what, "no"]);
  }
  expect(await may("create", "leases.coordination.k8s.io", ["-n", "default"])).toBe("no");
}

/** What the container of the Deployment is started with. */
async function argumentsOfTheDeployment(): Promise<readonly string[]> {
  const text = await Deno.readTextFile(new URL("discovery_service.yaml", MANIFESTS));
  const objects = parseYaml(text, "discovery_service.yaml").documents.map(({ value }) => value as Fields);
  const { spec } = objects.find(({ kind }) => kind === "Deployment") as {
    spec: { template: { spec: { containers: { args: string[] }[] } } };
  };
  return spec.template.spec.containers[0]!.args;
}
