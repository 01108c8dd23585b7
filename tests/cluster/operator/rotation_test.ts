import { expect } from "expect";
import { parseYaml } from "../../../src/base/yaml/mod.ts";
import type { CertsReport } from "../../../src/cli/certs/report.ts";
import { keySecretOf } from "../../../src/api/operator/mod.ts";
import { eventually, startProcess } from "../../envoy/harness/mod.ts";
import { chancery } from "../../standalone/chancery.ts";
import { clusterTest, type PolicyRule } from "../control_plane/mod.ts";
import { RULES } from "../discovery_service/site.ts";
import { Replica } from "../discovery_service/replica.ts";
import { BUNDLE, CA, CLIENT, materialIn, rotationOf, SERVER, textsOf } from "./authority.ts";
import { type Ground, openGround } from "./ground.ts";
import { Handshakes } from "./handshakes.ts";

/** What people may do who have the roles of the manifests, with what Kubernetes' own role `edit` adds. */
async function editorRules(): Promise<readonly PolicyRule[]> {
  const text = await Deno.readTextFile(new URL("../../../manifests/rbac/user_roles.yaml", import.meta.url));
  const roles = parseYaml(text, "user_roles.yaml").documents.map(({ value }) => {
    return value as { metadata: { name: string }; rules: readonly PolicyRule[] }; // ours
  });
  const ours = roles.filter(({ metadata: { name } }) => name === "chancery-view" || name === "chancery-edit");
  return [...ours.flatMap(({ rules }) => rules), { apiGroups: [""], resources: ["secrets"], verbs: ["get"] }];
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
    const { namespace, cluster } = ground;
    const operator = ground.operator("operator-1");
    await operator.start();
    await ground.apply("DiscoveryService", "ds", {
      pkiConfig: {
        trustDelay: "3s",
        rootCertificateAuthority: { duration: "20m" },
        serverCertificate: { duration: "10m" },
      },
    });
    const editor = await cluster.serviceAccount(namespace, "editor", await editorRules());
    const certs = async (...words: string[]) =>
      await chancery("certs", ...words, "--kubeconfig", editor, "-n", namespace);
    await eventually(async () => {
      const { code, stdout } = await certs("-o", "json", "--exit-code");
      const { items } = JSON.parse(stdout || '{"items":[]}') as Pick<CertsReport, "items">;
      return code === 0 && items.length === 3 && items.every(({ state }) => state === "Ready");
    }, { what: "three certificates that can be used", deadlineMs: 30_000, explain: () => operator.process.tail(20) });
    const first = rotationOf((await ground.get(CA))!)!.current;

    const folder = await Deno.makeTempDir({ prefix: "chancery-" });
    await using parts = new AsyncDisposableStack();
    parts.defer(() => Deno.remove(folder, { recursive: true }));
    const kubeconfig = await cluster.serviceAccount(namespace, "discovery-service", RULES);
    const replicas = ["xds-0", "xds-1"].map((name) => {
      Deno.mkdirSync(`${folder}/${name}`);
      return parts.use(
        new Replica({ name, kubeconfig, namespace, namespaces: [namespace], folder: `${folder}/${name}` }),
      );
    });
    const mountAt = ({ name }: Replica) => mount(ground, `${folder}/${name}`);
    await Promise.all(replicas.map(mountAt));
    await Promise.all(replicas.map((replica) => replica.start()));
    const [early, late] = replicas as [Replica, Replica];

    // Every phase that is written, in the words of the API server.
    const watch = parts.use(startProcess({
      name: "watch",
      command: cluster.kubectlPath,
      args: [
        ...["--kubeconfig", cluster.kubeconfig, "-n", namespace, "get", "dsc", "marin3r-ca-cert-ds", "-w"],
        ...["-o", 'jsonpath={.status.rotation.phase}{"\\n"}'],
      ],
    }));
    const phases = () => watch.lines.map((line) => line.trim()).filter((line, i, all) => line && line !== all[i - 1]);

    /** What pods hold whose volumes come late: certificate and bundle of the beginning. */
    const earlier = await materialIn(ground, CLIENT);
    const handshakes = parts.use(new Handshakes(replicas.map(({ xdsPort }) => xdsPort)));
    handshakes.client("from before", earlier);
    handshakes.client("up to date", () => materialIn(ground, CLIENT));
    handshakes.start();

    expect(await certs("rotate", "marin3r-ca-cert-ds")).toMatchObject({ code: 0 });
    await ground.until(CA, "in phase Trust", (object) => rotationOf(object)?.phase === "Trust");
    await operator.kill();
    // The next key lies where the operator is, which here is the same namespace.
    const key = `secrets/${keySecretOf({ namespace, name: "marin3r-ca-cert-ds" })}`;
    expect((await textsOf(ground, `${key}-next`))["tls.key"]).toContain("PRIVATE KEY");
    await operator.start();
    await ground.until(BUNDLE, "with both", ({ data }) => data?.["ca.crt"]?.match(/BEGIN/g)?.length === 2);
    const twice = (data: Readonly<Record<string, string>> | undefined) =>
      atob(data?.["ca.crt"] ?? "").match(/BEGIN/g)?.length === 2;
    for (const secret of [CLIENT, SERVER]) await ground.until(secret, "with both", ({ data }) => twice(data));

    // One replica reads it, the other's volume is late: nobody signs with the next CA, however long that takes.
    await mountAt(early);
    const waiting = await ground.until(CA, "waiting for the late replica alone", ({ status }) => {
      const { message = "" } = status?.conditions?.find(({ type }) => type === "Rotating") ?? {};
      return message.includes("xds-1") && !message.includes("xds-0");
    });
    expect(rotationOf(waiting)).toMatchObject({ phase: "Trust", current: first });
    expect(await certs("rotate", "marin3r-ca-cert-ds")).toMatchObject({
      ...{ code: 0, stdout: expect.stringContaining("nothing to change") },
    });
    // Pods have read the bundle by now; their certificates are the old ones.
    handshakes.client("from before", { ...earlier, ca: (await materialIn(ground, CLIENT)).ca });
    await operator.kill();
    await operator.start();
    expect(rotationOf((await ground.get(CA))!)).toMatchObject({ phase: "Trust", current: first });

    await mountAt(late);
    await eventually(() => phases().includes("Sign"), { what: "phase Sign", explain: () => operator.process.tail(20) });
    await operator.kill(); // in the middle of issuing everything again
    await operator.start();
    const retiring = await ground.until(CA, "in phase Retire", (object) => rotationOf(object)?.phase === "Retire");
    const second = rotationOf(retiring)!.current;
    expect(second).not.toBe(first);
    expect(rotationOf(retiring)?.earlier).toMatchObject([{ fingerprint: first }]);
    await ground.gone(`${key}-next`);
    await mountAt(early); // one replica shows the new certificate, the other one still the old one
    await handshakes.rounds(3);
    await mountAt(late);
    await handshakes.rounds(3);
    await operator.kill();
    await operator.start();
    const shown = await certs("-o", "json");
    for (const { type, issuer, problems } of (JSON.parse(shown.stdout) as CertsReport).items) {
      expect([type, issuer]).toEqual([type, type === "CA" ? "itself" : "marin3r-ca-ds"]);
      expect(problems.filter(({ severity }) => severity === "error")).toEqual([]);
    }

    // So far nobody was ever refused, and nobody has refused a server.
    handshakes.stop();
    await handshakes.idle();
    expect(handshakes.refusals).toEqual([]);
    expect(handshakes.count).toBeGreaterThan(40);

    expect(await certs("distrust", "marin3r-ca-cert-ds")).toMatchObject({ code: 0 });
    const settled = await ground.until(CA, "settled", (object) => rotationOf(object)?.phase === "Stable");
    expect(rotationOf(settled)).toMatchObject({ phase: "Stable", current: second });
    await ground.until(BUNDLE, "with one", ({ data }) => data?.["ca.crt"]?.match(/BEGIN/g)?.length === 1);
    await Promise.all(replicas.map(mountAt));
    await early.wait("both to trust the new one alone", async () => {
      const { cluster } = await early.status();
      return cluster?.replicas.every(({ trusts }) => trusts?.join() === second);
    });
    expect(phases()).toEqual(["Stable", "Trust", "Sign", "Retire", "Stable"]);
    // Now the certificate of the earlier one is worth nothing, which also shows that a refusal would have been seen.
    expect(await handshakes.once("from before")).not.toEqual([]);
    expect(await handshakes.once("up to date")).toEqual([]);
    await operator.stop();
  },
);
