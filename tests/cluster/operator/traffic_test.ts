import { expect } from "expect";
import { createAuthority } from "../../certificates.ts";
import { eventually, Load } from "../../envoy/harness/mod.ts";
import { chancery } from "../../standalone/chancery.ts";
import { type PodObject, type Scene, sceneTest } from "../node/scene.ts";
import { TcpProxy } from "../tcp_proxy.ts";
import { BUNDLE, CA, CLIENT, materialIn, rotationOf, SERVER, textsOf } from "./authority.ts";
import { ConfigChanges, PORT } from "./config_changes.ts";
import { openGround } from "./ground.ts";
import { Handshakes } from "./handshakes.ts";
import { IMAGES, livesOf, podsOf, QUICK, readyPods } from "./pods.ts";
import { makeStranger } from "./stranger.ts";

const FRONT_CLIENT = "secrets/envoy-client-cert-front";
const CERTIFICATE_HASH = "marin3r.3scale.net/server-certificate-hash";
const XDS_PORT = 18000;
const LIFETIME = "30s";
/** Longer than certificates live, on a machine that has other work. */
const RENEWED_MS = 90_000;

/** What Envoy counts of its connections to the discovery service, by name. */
async function xdsCounters({ status }: PodObject): Promise<Readonly<Record<string, number>>> {
  const url = `http://${status.podIP}:9901/stats?filter=^(cluster.xds_cluster|control_plane)`;
  const text = await (await fetch(url)).text();
  const lines = text.trim().split("\n").map((line) => line.split(": "));
  return Object.fromEntries(
    lines.map(([name = "", value]) => [name.replace("cluster.xds_cluster.", ""), Number(value)]),
  );
}

/** Connections and streams that an Envoy ever had, and handshakes that it refused. */
async function streamsOf(pod: PodObject) {
  const counters = await xdsCounters(pod);
  return {
    connected: counters["control_plane.connected_state"],
    connections: counters["upstream_cx_total"],
    streams: counters["upstream_rq_total"],
    refused: ["ssl.connection_error", "ssl.fail_verify_error", "ssl.fail_verify_san", "ssl.fail_verify_no_cert"]
      .reduce((sum, name) => sum + (counters[name] ?? 0), 0),
  };
}

async function bodyOf({ status }: PodObject): Promise<string> {
  return await (await fetch(`http://${status.podIP}:${PORT}/`)).text();
}

/** Waits until an Envoy has said in its log why it does not take a server. */
async function refusal(scene: Scene, name: string): Promise<string> {
  return await eventually(async () => {
    const log = await scene.logs(name, "envoy");
    return log.split("\n").find((line) => line.includes("CERTIFICATE_VERIFY_FAILED"));
  }, {
    what: `pod ${name} to refuse its server`,
    deadlineMs: 60_000,
    explain: () => scene.logs(name, "envoy").catch(String),
  });
}

sceneTest(
  "A1, A2, A3, S1: the certificates of servers, of clients and the authority change, and traffic and changes go on",
  async (scene) => {
    const { cluster, namespace, node } = scene;
    await using ground = await openGround({ cluster, namespace });
    const operator = ground.operator("operator-1");
    await operator.start();
    await ground.apply("DiscoveryService", "ds", {
      pkiConfig: {
        trustDelay: "3s",
        rootCertificateAuthority: { duration: "20m" },
        serverCertificate: { duration: LIFETIME },
      },
    });
    await using changes = new ConfigChanges(scene);
    await changes.make();
    await ground.apply("EnvoyDeployment", "front", {
      ...{ envoyConfigRef: "edge", discoveryServiceRef: "ds", readinessProbe: QUICK, duration: LIFETIME },
      ...{ replicas: { static: 2 }, ports: [{ name: "http", port: PORT }] },
    });
    const servers = await readyPods(scene, "discovery-service", 2);
    const envoys = await readyPods(scene, "envoy-deployment", 2);
    const lives = livesOf([...servers, ...envoys]);
    const templates = async () =>
      await Promise.all(
        ["marin3r-ds", "marin3r-envoydeployment-front"].map(async (name) =>
          (await ground.get(`apps/v1/deployments/${name}`))?.spec?.["template"]
        ),
      );
    const made = await templates();
    const toldOf = async () =>
      (await ground.get("apps/v1/deployments/marin3r-ds"))?.metadata.annotations?.[CERTIFICATE_HASH];
    const shownFirst = await toldOf();

    // From now on: requests to both Envoys, changes for them, and clients that connect anew to both servers.
    await using parts = new AsyncDisposableStack();
    const loads = envoys.map(({ status }) =>
      parts.use(new Load({ target: { hostname: status.podIP!, port: PORT }, keepAlive: 1, fresh: 1 }))
    );
    for (const pod of envoys) expect(await bodyOf(pod)).toBe(changes.text);
    changes.start();
    const ways = servers.map(({ status }) => parts.use(new TcpProxy(`https://${status.podIP}:${XDS_PORT}`)));
    const handshakes = parts.use(new Handshakes(ways.map(({ address }) => Number(new URL(address).port))));
    const earlier = await materialIn(ground, CLIENT);
    handshakes.client("from before", earlier);
    handshakes.client("up to date", () => materialIn(ground, FRONT_CLIENT));
    handshakes.start();
    const before = await Promise.all(envoys.map(streamsOf));
    expect(before.map(({ connected, refused }) => [connected, refused])).toEqual([[1, 0], [1, 0]]);

    // Meanwhile two Envoys that differ from these in one thing each: neither takes the server.
    const impostor = { selector: servers[0]!.metadata.labels, ports: [{ port: XDS_PORT, targetPort: XDS_PORT }] };
    const { cert: foreign } = await createAuthority();
    await scene.create(
      { kind: "Service", metadata: { name: "impostor" }, spec: impostor },
      { kind: "ConfigMap", metadata: { name: "foreign" }, data: { "ca.crt": foreign } },
      { kind: "ConfigMap", metadata: { name: "root-from-before" }, data: { "ca.crt": earlier.ca } },
    );
    await makeStranger(scene, "other-name", { of: "front", host: `impostor.${namespace}.svc` });
    await makeStranger(scene, "other-authority", { of: "front", bundle: "foreign" });
    expect(await refusal(scene, "other-name")).toMatch(/certificate.SANs.are/);
    expect(await refusal(scene, "other-authority")).toMatch(/verify.cert.failed/);
    for (const name of ["other-name", "other-authority"]) await cluster.request("DELETE", scene.path(`pods/${name}`));

    const shown = await Promise.all([SERVER, FRONT_CLIENT].map((path) => textsOf(ground, path)));
    for (const [at, path] of [SERVER, FRONT_CLIENT].entries()) {
      await ground.until(path, "renewed", ({ data }) => atob(data!["tls.crt"]!) !== shown[at]!["tls.crt"], RENEWED_MS);
    }
    await handshakes.rounds(3);

    const first = rotationOf((await ground.get(CA))!)!.current;
    const certs = async (verb: string) =>
      await chancery("certs", verb, "marin3r-ca-cert-ds", "--kubeconfig", cluster.kubeconfig, "-n", namespace);
    expect(await certs("rotate")).toMatchObject({ code: 0 });
    await ground.until(BUNDLE, "with both", ({ data }) => data?.["ca.crt"]?.match(/BEGIN/g)?.length === 2);
    // Pods have read it before anything is signed by the next one.
    const both = await textsOf(ground, BUNDLE);
    handshakes.client("from before", { ...earlier, ca: both["ca.crt"]! });
    const retiring = await ground.until(
      CA,
      "in phase Retire",
      (one) => rotationOf(one)?.phase === "Retire",
      RENEWED_MS,
    );
    expect(rotationOf(retiring)?.earlier).toMatchObject([{ fingerprint: first }]);
    await handshakes.rounds(3);
    handshakes.stop();
    await handshakes.idle();
    expect(handshakes.refusals).toEqual([]);
    expect(handshakes.count).toBeGreaterThan(40);

    expect(await certs("distrust")).toMatchObject({ code: 0 });
    await ground.until(CA, "settled", (object) => rotationOf(object)?.phase === "Stable");
    const { "ca.crt": last } = await textsOf(ground, BUNDLE);
    expect(last?.match(/BEGIN/g)).toHaveLength(1);
    // Whoever stayed behind is refused by the servers, once they have read it, and an Envoy refuses them.
    await eventually(async () => (await handshakes.once("from before")).length === 2, {
      ...{ what: "both servers to refuse a client of the earlier authority", deadlineMs: 30_000 },
    });
    expect(await handshakes.once("up to date")).toEqual([]);
    await makeStranger(scene, "from-before", { of: "front", bundle: "root-from-before" });
    expect(await refusal(scene, "from-before")).toMatch(/verify.cert.failed/);
    await cluster.request("DELETE", scene.path("pods/from-before"));

    const count = await changes.stop();
    expect(count).toBeGreaterThan(20);
    await eventually(async () => (await Promise.all(envoys.map(bodyOf))).every((body) => body === changes.text), {
      ...{ what: `both Envoys to answer "${changes.text}"`, deadlineMs: 30_000 },
      explain: async () =>
        [
          ...await Promise.all(envoys.map((pod) => bodyOf(pod).catch(String))),
          ...loads.flatMap(({ failures }) => failures),
          ...livesOf(await podsOf(scene, "envoy-deployment")).map(String),
          (await scene.logs(envoys[0]!.metadata.name, "envoy")).split("\n").slice(-20).join("\n"),
        ].join("\n"),
    });
    // In all this time no Envoy has lost its stream, and nothing was started anew.
    expect(await Promise.all(envoys.map(streamsOf))).toEqual(before);
    expect(await templates()).toEqual(made);
    expect(await toldOf()).not.toBe(shownFirst);
    const pods = await Promise.all(
      ["discovery-service", "envoy-deployment"].map((component) => podsOf(scene, component)),
    );
    expect(livesOf(pods.flat())).toEqual(lives);

    // Who has to connect again shows what is valid now, and takes only that.
    for (const { metadata } of servers) node.signal(scene.name(metadata.name), "SIGKILL");
    await eventually(async () => {
      const now = await Promise.all(envoys.map(streamsOf));
      return now.every(({ connected, streams }, at) => connected === 1 && streams! > before[at]!.streams!);
    }, { what: "both Envoys to have another stream", deadlineMs: 60_000 });
    const reports = await Promise.all(loads.map((load) => load.stop()));
    expect(reports.map(({ failed, failures }) => [failed, failures])).toEqual([[0, []], [0, []]]);
    expect(Math.min(...reports.map(({ requests }) => requests))).toBeGreaterThan(500);
    expect(livesOf(await podsOf(scene, "envoy-deployment"))).toEqual(livesOf(envoys));
    await operator.stop();
  },
  { images: IMAGES, volumeDelayMs: 500 },
);
