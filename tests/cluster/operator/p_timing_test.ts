import { expect } from "expect";
import { parseYaml } from "../../../src/base/yaml/mod.ts";
import type { CertsReport } from "../../../src/cli/certs/report.ts";
import { eventually, startProcess } from "../../envoy/harness/mod.ts";
import { chancery } from "../../standalone/chancery.ts";
import { clusterTest, type PolicyRule } from "../control_plane/mod.ts";
import { RULES } from "../discovery_service/site.ts";
import { Replica } from "../discovery_service/replica.ts";
import { type Ground, openGround } from "./ground.ts";
import { Handshakes, type Material } from "./handshakes.ts";

const CA = "discoveryservicecertificates/marin3r-ca-cert-ds";
const CLIENT = "secrets/envoy-sidecar-client-cert";
const SERVER = "secrets/marin3r-server-cert-ds";
const BUNDLE = "configmaps/marin3r-ca-bundle-ds";

/** What is kept of a CA, in the status of its certificate. */
interface Rotation {
  readonly phase: string;
  readonly current: string;
  readonly earlier?: readonly { readonly fingerprint: string }[];
}

/** What people may do who have the roles of the manifests, with what Kubernetes' own role `edit` adds. */
async function editorRules(): Promise<readonly PolicyRule[]> {
  const text = await Deno.readTextFile(new URL("../../../manifests/rbac/user_roles.yaml", import.meta.url));
  const roles = parseYaml(text, "user_roles.yaml").documents.map(({ value }) => {
    return value as { metadata: { name: string }; rules: readonly PolicyRule[] }; // ours
  });
  const ours = roles.filter(({ metadata: { name } }) => name === "chancery-view" || name === "chancery-edit");
  return [...ours.flatMap(({ rules }) => rules), { apiGroups: [""], resources: ["secrets"], verbs: ["get"] }];
}

function rotationOf(object: { readonly status?: object }): Rotation | undefined {
  return (object.status as { rotation?: Rotation } | undefined)?.rotation; // a certificate
}

/** What is in a Secret or ConfigMap now. */
async function textsOf(ground: Ground, path: string): Promise<Readonly<Record<string, string>>> {
  const object = await ground.get(path);
  if (!object) throw new Error(`there is no ${path}`);
  const decode = (text: string) => path.startsWith("secrets/") ? atob(text) : text;
  return Object.fromEntries(Object.entries(object.data ?? {}).map(([key, text]) => [key, decode(text)]));
}

async function clientOf(ground: Ground): Promise<Material> {
  const texts = await textsOf(ground, CLIENT);
  return { cert: texts["tls.crt"]!, key: texts["tls.key"]!, ca: texts["ca.crt"]! };
}

/** Puts what Secret and bundle hold where a replica reads them, as the kubelet does: by and by, each file whole. */
async function mount(ground: Ground, folder: string): Promise<void> {
  const [server, bundle] = await Promise.all([textsOf(ground, SERVER), textsOf(ground, BUNDLE)]);
  const version = `${folder}/${crypto.randomUUID()}`;
  await Deno.mkdir(version);
  for (const name of ["tls.crt", "tls.key", "ca.crt"]) await Deno.writeTextFile(`${version}/${name}`, server[name]!);
  await Deno.symlink(version, `${version}.link`);
  await Deno.rename(`${version}.link`, `${folder}/server`);
  await Deno.mkdir(`${folder}/ca`, { recursive: true });
  await Deno.writeTextFile(`${folder}/ca/new`, bundle["ca.crt"]!);
  await Deno.rename(`${folder}/ca/new`, `${folder}/ca/ca.crt`);
}

clusterTest(
  "A3: a CA is changed for another one while everybody connects, and the operator is killed between the steps",
  async () => {
    await using ground = await openGround();
console.error("@68", Math.round(performance.now()));
    const { namespace, cluster } = ground;
console.error("@69", Math.round(performance.now()));
    const operator = ground.operator("operator-1");
console.error("@70", Math.round(performance.now()));
    await operator.start();
console.error("@71", Math.round(performance.now()));
    await ground.apply("DiscoveryService", "ds", {
      pkiConfig: {
        trustDelay: "3s",
        rootCertificateAuthority: { duration: "20m" },
        serverCertificate: { duration: "10m" },
      },
    });
console.error("@78", Math.round(performance.now()));
    const editor = await cluster.serviceAccount(namespace, "editor", await editorRules());
console.error("@79", Math.round(performance.now()));
    const certs = async (...words: string[]) =>
      await chancery("certs", ...words, "--kubeconfig", editor, "-n", namespace);
console.error("@81", Math.round(performance.now()));
    await eventually(async () => {
      const { code, stdout } = await certs("-o", "json", "--exit-code");
      const { items } = JSON.parse(stdout || '{"items":[]}') as Pick<CertsReport, "items">;
      return code === 0 && items.length === 3 && items.every(({ state }) => state === "Ready");
    }, { what: "three certificates that can be used", deadlineMs: 30_000, explain: () => operator.process.tail(20) });
console.error("@86", Math.round(performance.now()));
    const first = rotationOf((await ground.get(CA))!)!.current;

console.error("@88", Math.round(performance.now()));
    const folder = await Deno.makeTempDir({ prefix: "chancery-" });
console.error("@89", Math.round(performance.now()));
    await using parts = new AsyncDisposableStack();
    parts.defer(() => Deno.remove(folder, { recursive: true }));
console.error("@91", Math.round(performance.now()));
    const kubeconfig = await cluster.serviceAccount(namespace, "discovery-service", RULES);
console.error("@92", Math.round(performance.now()));
    const replicas = ["xds-0", "xds-1"].map((name) => {
      Deno.mkdirSync(`${folder}/${name}`);
      return parts.use(
        new Replica({ name, kubeconfig, namespace, namespaces: [namespace], folder: `${folder}/${name}` }),
      );
    });
console.error("@98", Math.round(performance.now()));
    const mountAt = ({ name }: Replica) => mount(ground, `${folder}/${name}`);
console.error("@99", Math.round(performance.now()));
    await Promise.all(replicas.map(mountAt));
console.error("@100", Math.round(performance.now()));
    await Promise.all(replicas.map((replica) => replica.start()));
console.error("@101", Math.round(performance.now()));
    const [early, late] = replicas as [Replica, Replica];

    // Every phase that is written, in the words of the API server.
console.error("@104", Math.round(performance.now()));
    const watch = parts.use(startProcess({
      name: "watch",
      command: cluster.kubectlPath,
      args: [
        ...["--kubeconfig", cluster.kubeconfig, "-n", namespace, "get", "dsc", "marin3r-ca-cert-ds", "-w"],
        ...["-o", 'jsonpath={.status.rotation.phase}{"\\n"}'],
      ],
    }));
console.error("@112", Math.round(performance.now()));
    const phases = () => watch.lines.map((line) => line.trim()).filter((line, i, all) => line && line !== all[i - 1]);

    /** What pods hold whose volumes come late: certificate and bundle of the beginning. */
    const earlier = await clientOf(ground);
console.error("@116", Math.round(performance.now()));
    const handshakes = parts.use(new Handshakes(replicas.map(({ xdsPort }) => xdsPort)));
    handshakes.client("from before", earlier);
    handshakes.client("up to date", () => clientOf(ground));
    handshakes.start();

console.error("@121", Math.round(performance.now()));
    expect(await certs("rotate", "marin3r-ca-cert-ds")).toMatchObject({ code: 0 });
console.error("@122", Math.round(performance.now()));
    await ground.until(CA, "in phase Trust", (object) => rotationOf(object)?.phase === "Trust");
console.error("@123", Math.round(performance.now()));
    await operator.kill();
console.error("@124", Math.round(performance.now()));
    expect((await textsOf(ground, "secrets/marin3r-ca-cert-ds-next"))["tls.crt"]).toContain("BEGIN CERTIFICATE");
console.error("@125", Math.round(performance.now()));
    await operator.start();
console.error("@126", Math.round(performance.now()));
    await ground.until(BUNDLE, "with both", ({ data }) => data?.["ca.crt"]?.match(/BEGIN/g)?.length === 2);
console.error("@127", Math.round(performance.now()));
    const twice = (data: Readonly<Record<string, string>> | undefined) =>
      atob(data?.["ca.crt"] ?? "").match(/BEGIN/g)?.length === 2;
console.error("@129", Math.round(performance.now()));
    for (const secret of [CLIENT, SERVER]) await ground.until(secret, "with both", ({ data }) => twice(data));

    // One replica reads it, the other's volume is late: nobody signs with the next CA, however long that takes.
console.error("@132", Math.round(performance.now()));
    await mountAt(early);
console.error("@133", Math.round(performance.now()));
    const waiting = await ground.until(CA, "waiting for the late replica alone", ({ status }) => {
      const { message = "" } = status?.conditions?.find(({ type }) => type === "Rotating") ?? {};
      return message.includes("xds-1") && !message.includes("xds-0");
    });
console.error("@137", Math.round(performance.now()));
    expect(rotationOf(waiting)).toMatchObject({ phase: "Trust", current: first });
console.error("@138", Math.round(performance.now()));
    expect(await certs("rotate", "marin3r-ca-cert-ds")).toMatchObject({
      ...{ code: 0, stdout: expect.stringContaining("nothing to change") },
    });
    // Pods have read the bundle by now; their certificates are the old ones.
    handshakes.client("from before", { ...earlier, ca: (await clientOf(ground)).ca });
console.error("@143", Math.round(performance.now()));
    await operator.kill();
console.error("@144", Math.round(performance.now()));
    await operator.start();
console.error("@145", Math.round(performance.now()));
    expect(rotationOf((await ground.get(CA))!)).toMatchObject({ phase: "Trust", current: first });

console.error("@147", Math.round(performance.now()));
    await mountAt(late);
console.error("@148", Math.round(performance.now()));
    await eventually(() => phases().includes("Sign"), { what: "phase Sign", explain: () => operator.process.tail(20) });
console.error("@149", Math.round(performance.now()));
    await operator.kill(); // in the middle of issuing everything again
    await operator.start();
console.error("@151", Math.round(performance.now()));
    const retiring = await ground.until(CA, "in phase Retire", (object) => rotationOf(object)?.phase === "Retire");
console.error("@152", Math.round(performance.now()));
    const second = rotationOf(retiring)!.current;
console.error("@153", Math.round(performance.now()));
    expect(second).not.toBe(first);
console.error("@154", Math.round(performance.now()));
    expect(rotationOf(retiring)?.earlier).toMatchObject([{ fingerprint: first }]);
console.error("@155", Math.round(performance.now()));
    await ground.gone("secrets/marin3r-ca-cert-ds-next");
console.error("@156", Math.round(performance.now()));
    await mountAt(early); // one replica shows the new certificate, the other one still the old one
    await handshakes.rounds(3);
console.error("@158", Math.round(performance.now()));
    await mountAt(late);
console.error("@159", Math.round(performance.now()));
    await handshakes.rounds(3);
console.error("@160", Math.round(performance.now()));
    await operator.kill();
console.error("@161", Math.round(performance.now()));
    await operator.start();
console.error("@162", Math.round(performance.now()));
    const shown = await certs("-o", "json");
console.error("@163", Math.round(performance.now()));
    for (const { type, issuer, problems } of (JSON.parse(shown.stdout) as CertsReport).items) {
      expect([type, issuer]).toEqual([type, type === "CA" ? "itself" : "marin3r-ca-ds"]);
      expect(problems.filter(({ severity }) => severity === "error")).toEqual([]);
    }

    // So far nobody was ever refused, and nobody has refused a server.
    handshakes.stop();
console.error("@170", Math.round(performance.now()));
    await handshakes.idle();
console.error("@171", Math.round(performance.now()));
    expect(handshakes.refusals).toEqual([]);
console.error("@172", Math.round(performance.now()));
    expect(handshakes.count).toBeGreaterThan(40);

console.error("@174", Math.round(performance.now()));
    expect(await certs("distrust", "marin3r-ca-cert-ds")).toMatchObject({ code: 0 });
console.error("@175", Math.round(performance.now()));
    const settled = await ground.until(CA, "settled", (object) => rotationOf(object)?.phase === "Stable");
console.error("@176", Math.round(performance.now()));
    expect(rotationOf(settled)).toMatchObject({ phase: "Stable", current: second });
console.error("@177", Math.round(performance.now()));
    await ground.until(BUNDLE, "with one", ({ data }) => data?.["ca.crt"]?.match(/BEGIN/g)?.length === 1);
console.error("@178", Math.round(performance.now()));
    await Promise.all(replicas.map(mountAt));
console.error("@179", Math.round(performance.now()));
    await early.wait("both to trust the new one alone", async () => {
      const { cluster } = await early.status();
      return cluster?.replicas.every(({ trusts }) => trusts?.join() === second);
    });
console.error("@183", Math.round(performance.now()));
    expect(phases()).toEqual(["Stable", "Trust", "Sign", "Retire", "Stable"]);
    // Now the certificate of the earlier one is worth nothing, which also shows that a refusal would have been seen.
console.error("@185", Math.round(performance.now()));
    expect(await handshakes.once("from before")).not.toEqual([]);
console.error("@186", Math.round(performance.now()));
    expect(await handshakes.once("up to date")).toEqual([]);
console.error("@187", Math.round(performance.now()));
    await operator.stop();
  },
);
