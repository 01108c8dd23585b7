/** `status`, `history`, `rollback` and `diff` against a real API server, with replicas that serve and clients that answer. */
import { expect } from "expect";
import { parseYaml } from "../../src/base/yaml/mod.ts";
import { runCli } from "../../src/cli/mod.ts";
import { envoyConfig, eventually, type Fields, listener, tlsSecret, tlsSecretItem } from "../envoy/harness/mod.ts";
import { createAuthority } from "../certificates.ts";
import { XdsClient, type XdsResponse } from "../standalone/xds_client.ts";
import { clusterTest, type ControlPlane, type PolicyRule, startControlPlane } from "./control_plane/mod.ts";
import { openSite, type Site } from "./discovery_service/site.ts";
import { CLI } from "../program.ts";

const GROUP = "marin3r.3scale.net";
/** What people may do who have the roles of the manifests. */
const ROLES = await readRoles();
const VIEWER = ROLES("chancery-view");
const OPERATOR = [...VIEWER, ...ROLES("chancery-edit")];
/** With what Kubernetes' own role adds for `diff`. */
const EDITOR = [
  ...OPERATOR,
  { apiGroups: [""], resources: ["secrets"], verbs: ["get"] },
  { apiGroups: ["discovery.k8s.io"], resources: ["endpointslices"], verbs: ["list"] },
];

async function readRoles(): Promise<(name: string) => readonly PolicyRule[]> {
  const text = await Deno.readTextFile(new URL("../../manifests/rbac/user_roles.yaml", import.meta.url));
  const roles = parseYaml(text, "user_roles.yaml").documents.map(({ value }) =>
    value as { metadata: { name: string }; rules: readonly PolicyRule[] } // ours
  );
  return (name) => roles.find(({ metadata }) => metadata.name === name)!.rules; // ours
}

function edge(text: string): Fields {
  return listener("in", { port: 10000, routes: { text } });
}

interface Outcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs a command line, with what it writes told as it comes. */
async function run(
  words: readonly string[],
  { onOut = () => true, env = {} }: { onOut?: (text: string) => boolean; env?: Readonly<Record<string, string>> } = {},
): Promise<Outcome> {
  let [out, err] = ["", ""];
  const code = await runCli(words, {
    program: "chancery",
    env: (name) => env[name],
    out: (text) => (out += text, onOut(text)),
    err: (text) => void (err += text),
    terminal: { out: false, err: false },
    color: { out: false, err: false },
  });
  return { code, out, err };
}

/** Runs verbs as one service account, in the namespace of the site. */
async function person(site: Site, name: string, rules: readonly PolicyRule[]) {
  const kubeconfig = await site.cluster.serviceAccount(site.namespace, name, rules);
  return {
    kubeconfig,
    run: (...words: string[]) => run([...words, "--kubeconfig", kubeconfig]),
  };
}

/** A file with the EnvoyConfig of the site and what else is given. */
async function manifest(folder: string, resources: readonly Fields[], ...more: readonly Fields[]): Promise<string> {
  const config = { apiVersion: `${GROUP}/v1alpha1`, kind: "EnvoyConfig", metadata: { name: "edge" } };
  const documents = [{ ...config, spec: { nodeID: "edge", resources } }, ...more];
  const file = `${folder}/edge.yaml`;
  await Deno.writeTextFile(file, documents.map((one) => JSON.stringify(one, null, 2)).join("\n---\n"));
  return file;
}

clusterTest("verbs tell of a cluster what they tell of a standalone, and steer it", async () => {
  await using site = await openSite();
  const { namespace, cluster: { server } } = site;
  const name = `${namespace}/edge`;
  const viewer = await person(site, "viewer", VIEWER);
  const operator = await person(site, "operator", OPERATOR);
  const flags = ` --kubeconfig ${operator.kubeconfig}`;
  expect(await viewer.run("status")).toEqual({
    code: 0,
    out: "",
    err: `No EnvoyConfig found in namespace "${namespace}"; -A looks in all of them\n`,
  });
  const replicas = [site.replica("xds-0"), site.replica("xds-1")];
  const [replica] = replicas as [typeof replicas[0] & object];
  await Promise.all(replicas.map((one) => one.start()));
  const tls = await site.clientTls();
  let answer = (_response: XdsResponse): string | undefined | Promise<string | undefined> => undefined;
  await using clients = new AsyncDisposableStack();
  for (const [index, { xdsPort }] of replicas.entries()) {
    clients.use(new XdsClient(xdsPort, { tls, pod: `pod-${index}`, answer: (response) => answer(response) }));
  }
  const inSync = () =>
    replica.wait("both clients", async () => {
      const { code, out } = await operator.run("status", "--exit-code");
      return code === 0 && out.includes(" InSync   2/2 ") && out;
    });

  // Served by two replicas, counted as one.
  await site.configure("edge", [edge("version-one")]);
  expect(await inSync()).toMatch(new RegExp(`^NAME .*\\n${name} +edge +(\\w{10}) +\\1 +InSync +2/2 +\\d+s\\n$`));
  const one = await operator.run("history", "edge");
  expect([one.code, one.out]).toEqual([0, expect.stringMatching(/ 2\/2 +desired,published(,acknowledged)?\n$/)]);

  // Changed: -w tells, and so does the difference.
  const told: string[] = [];
  const watching = run(["status", "-w", "-o", "json", "--kubeconfig", viewer.kubeconfig], {
    onOut(text) {
      told.push(text);
      return !told.slice(1).some((line) => {
        const { inSync, generation } = JSON.parse(line.split("\n")[0]!); // one line per change, of the only EnvoyConfig
        return inSync && generation === 2;
      });
    },
  });
  await replica.wait("the first look", () => told.length > 0);
  await site.configure("edge", [edge("version-two")]);
  expect((await watching).code).toBe(0);
  expect(JSON.parse(told[0]!)).toMatchObject({ server, inSync: true, items: [{ namespace, generation: 1 }] });
  expect(JSON.parse(told.at(-1)!.split("\n")[0]!)).toMatchObject({ name: "edge", generation: 2, inSync: true });
  const folder = await Deno.makeTempDir({ prefix: "chancery-" });
  try {
    const file = await manifest(folder, [edge("version-one")]);
    const changed = await viewer.run("diff", file);
    expect([changed.code, changed.err]).toEqual([1, ""]);
    expect(changed.out.split("\n").filter((line) => /^[+-] /.test(line))).toEqual([
      expect.stringContaining("inline_string: version-two"),
      expect.stringContaining("inline_string: version-one"),
    ]);
    await manifest(folder, [edge("version-two")]);
    const same = await viewer.run("diff", file);
    expect([same.code, same.out]).toEqual([0, expect.stringMatching(`^${name}: no difference, 1 the same `)]);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }

  // Back, again, and forth.
  const refused = await viewer.run("rollback", "edge");
  expect([refused.code, refused.out]).toEqual([2, ""]);
  expect(refused.err).toContain(
    `cannot patch resource "envoyconfigs" in API group "${GROUP}" in the namespace "${namespace}"`,
  );
  const back = await operator.run("rollback", "edge");
  const [first, second] = /holding \S+ at (\w+) \((\w+) was published\), in the cluster at (\S+)\n/.exec(back.out)!
    .slice(1);
  expect(back).toEqual({
    code: 0,
    out: `holding ${name} at ${first} (${second} was published), in the cluster at ${server}\n` +
      `published ${first}\n` +
      `accepted: both Envoys accepted it\n` +
      `Next: chancery rollback ${name} --retry${flags}  # or change the spec, to end this\n`,
    err: "",
  });
  expect((await operator.run("rollback", "edge")).out).toContain(
    `nothing to change: ${name} at ${first} is asked for already, in the cluster at ${server}\n`,
  );
  expect((await operator.run("status", "edge")).out).toContain(
    `warning: version "${first}" is served because it is pinned\n  Next: chancery rollback ${name} --retry${flags}\n`,
  );
  const forth = await operator.run("rollback", "edge", "--retry", "-o", "json");
  expect([forth.code, JSON.parse(forth.out)]).toMatchObject([0, { action: "retry", to: second, result: "accepted" }]);

  // Refused by all, refused by one, and answered by nobody.
  answer = ({ type, bytes }) => type === "LDS" && bytes.includes("version-three") ? "no such filter" : undefined;
  await site.configure("edge", [edge("version-three")]);
  const shown = await replica.wait("the rollback", async () => {
    const { code, out } = await operator.run("status", "--exit-code");
    return code === 1 && / Rollback +2\/2 /.test(out) && out;
  });
  expect(shown).toMatch(
    /error: version "\w+" is not served: 2 of 2 Envoys refused it: Listener by "pod-\d": no such filter/,
  );
  const again = await operator.run("rollback", "edge", "--retry");
  expect([again.code, again.out]).toEqual([
    3,
    expect.stringMatching(/refused: .*no such filter.*\nNext: chancery history/),
  ]);
  expect((await operator.run("history", "edge")).out).toMatch(/ desired,tainted\n {2}error: .*no such filter/);
  const silence = Promise.withResolvers<undefined>();
  answer = () => silence.promise;
  const late = await operator.run("rollback", "edge", "--to", first!, "--timeout", "3s");
  // What the other replica counts may still be on its way.
  expect([late.code, late.out]).toEqual([
    4,
    expect.stringMatching(/time ran out: 0 of (2 Envoys|1 Envoy) accepted it/),
  ]);
  silence.resolve(undefined);
  answer = ({ bytes }) => bytes.includes("version-four") ? "bad" : undefined;
  await replica.wait("the answers", async () => (await operator.run("status")).out.includes(" 2/2 "));

  // What is not there, and nobody who serves.
  expect(await viewer.run("history", "egde")).toEqual({
    code: 2,
    out: "",
    err: `error: Cannot find EnvoyConfig "${namespace}/egde", did you mean "${name}"?\n`,
  });
  await clients.disposeAsync();
  await Promise.all(replicas.map((one) => one.stop()));
  await site.cluster.request("POST", `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`, {
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    metadata: { name: "chancery-replica-xds-0", labels: { "chancery.dev/role": "discovery-service" } },
    spec: { holderIdentity: "killed", renewTime: "2026-01-31T12:00:00.000000Z", leaseDurationSeconds: 15 },
  });
  const alone = await operator.run("status");
  expect([alone.code, alone.err]).toEqual([
    0,
    expect.stringContaining("no replica of the discovery service lives, the last one"),
  ]);
});

clusterTest("diff compares Secrets that may be read, and says which permission is missing for others", async () => {
  await using site = await openSite();
  const viewer = await person(site, "viewer", VIEWER);
  const editor = await person(site, "editor", EDITOR);
  const replica = site.replica("xds-0");
  await replica.start();
  const authority = await createAuthority();
  const [before, after] = [await authority.issue({ commonName: "a" }), await authority.issue({ commonName: "b" })];
  const endpoints = {
    type: "endpoint",
    generateFromEndpointSlices: { clusterName: "api", targetPort: "http", selector: { matchLabels: { app: "api" } } },
  };
  const resources = [edge("hello"), tlsSecretItem("edge-cert"), endpoints];
  await site.apply(tlsSecret("edge-cert", before));
  await site.configure("edge", resources);
  await replica.wait("the publication", async () => (await site.statusOf("edge"))["publication"] !== undefined);
  const folder = await Deno.makeTempDir({ prefix: "chancery-" });
  try {
    const { metadata: _, ...secret } = tlsSecret("edge-cert", after);
    const file = await manifest(folder, resources, { ...secret, metadata: { name: "edge-cert" } });
    const blind = await viewer.run("diff", file);
    expect(blind.err).toBe("");
    expect(blind.out).toContain('not compared: SDS "edge-cert" (of what is served: Cannot get Secret');
    expect(blind.out).toContain(`cannot get resource "secrets" in API group "" in the namespace "${site.namespace}"`);
    expect(blind.code).toBe(0);
    const seeing = await editor.run("diff", file);
    expect(seeing.out).toContain(` SDS edge-cert\n@@ `);
    expect(seeing.out).toContain('private_key:\n     inline_bytes: "[redacted]"\n');
    expect([seeing.code, seeing.err]).toEqual([1, ""]);
    for (const { out } of [blind, seeing]) {
      for (const line of [before, after].flatMap(({ key }) => key.split("\n").slice(1, 5))) {
        expect(out).not.toContain(line);
      }
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

clusterTest("a cluster says what may not be read, and what it does not have", async () => {
  await using site = await openSite();
  const nobody = await person(site, "nobody", []);
  const { namespace, cluster: { server } } = site;
  const blind = await nobody.run("status");
  expect([blind.code, blind.out]).toEqual([2, ""]);
  expect(blind.err).toContain(`Cannot list EnvoyConfig in namespace "${namespace}": the API server ${server} says: `);
  expect(blind.err).toContain(
    `cannot list resource "envoyconfigs" in API group "${GROUP}" in the namespace "${namespace}"`,
  );
  const viewer = await person(site, "viewer", VIEWER);
  expect((await viewer.run("status", "-A")).err).toContain(
    `cannot list resource "envoyconfigs" in API group "${GROUP}" at the cluster scope`,
  );
  const lister = await person(site, "lister", [{ ...VIEWER[0], verbs: ["get", "list"] }]);
  expect((await lister.run("status")).code).toBe(0);
  const unwatched = await lister.run("status", "-w");
  expect([unwatched.code, unwatched.err]).toEqual([
    2,
    expect.stringContaining(`cannot watch resource "envoyconfigs" in API group "${GROUP}" in the namespace`),
  ]);
  const env = { KUBERNETES_SERVICE_HOST: "10.0.0.1", KUBECONFIG: nobody.kubeconfig };
  const implied = await run(["status"], { env });
  expect([implied.code, implied.err]).toEqual([
    2,
    expect.stringMatching(
      /cannot list resource.*\nNext: a cluster was asked, as nothing names a standalone; .* --server/,
    ),
  ]);
  const admin = (...words: string[]) => run([...words, "--kubeconfig", site.cluster.kubeconfig]);
  expect((await admin("status", "edge", "--context", "tset")).err).toContain('did you mean "test"?');
  const nowhere = await admin("status", "edge", "-n", namespace);
  expect([nowhere.code, nowhere.err]).toEqual([2, `error: Cannot find EnvoyConfig "${namespace}/edge"\n`]);
  const both = await admin("status", "--server", "127.0.0.1:1");
  expect([both.code, both.err]).toEqual([
    2,
    expect.stringContaining("Cannot ask a standalone and a cluster: --server and --data go without"),
  ]);
});

clusterTest("kubectl runs the verbs as its plugin", async () => {
  await using site = await openSite();
  await site.configure("edge", [edge("hello")]);
  const bin = await Deno.makeTempDir({ prefix: "chancery-" });
  try {
    const script = `#!/bin/sh\nexport CHANCERY_PROGRAM="kubectl chancery"\n` +
      `exec ${Deno.execPath()} run --quiet --allow-all ${CLI} "$@"\n`;
    await Deno.writeTextFile(`${bin}/kubectl-chancery`, script, { mode: 0o755 });
    const plugin = async (...words: string[]) => {
      const { code, stdout, stderr } = await new Deno.Command(site.cluster.kubectlPath, {
        args: ["chancery", ...words],
        env: { PATH: `${bin}:/usr/bin:/bin`, KUBECONFIG: site.cluster.kubeconfig, NO_COLOR: "1" },
      }).output();
      const decoder = new TextDecoder();
      return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
    };
    const status = await plugin("status", "-n", site.namespace);
    expect(status.code).toBe(0);
    expect(status.stdout).toContain(`${site.namespace}/edge`);
    const help = await plugin("history", "--help");
    expect(help.stdout).toContain("Usage: kubectl chancery history [options] NAME");
    expect(help.stdout).toContain("kubectl chancery history edge\n");
    expect((await plugin("history")).stderr).toContain("Try: kubectl chancery history --help");
  } finally {
    await Deno.remove(bin, { recursive: true });
  }
});

clusterTest("what a cluster does not have is told, and a watch survives that the API server is away", async () => {
  const cluster = await startControlPlane({ components: ["etcd", "kube-apiserver"] });
  const { kubeconfig, server } = cluster;
  const status = (...words: string[]) => run(["status", "--kubeconfig", kubeconfig, ...words]);
  try {
    expect(await status()).toEqual({
      code: 2,
      out: "",
      err:
        `error: Cannot list EnvoyConfigs: the API server ${server} has no such kind, so Chancery is not installed there\n`,
    });
    await cluster.applyCrds();
    const { spec, metadata, ...config } = envoyConfig("edge", [edge("hello")]);
    const labels = { team: "web" };
    const labelled = { ...config, spec, metadata: { ...metadata as Fields, labels } };
    await cluster.apply([labelled, { ...labelled, metadata: { namespace: "default", name: "other" } }]);
    expect((await status("-l", "team in (web, shop)", "-o", "name")).out).toBe("default/edge\n");
    expect((await status("-l", "team!=web", "-A", "-o", "name")).out).toBe("default/other\n");
    const told: string[] = [];
    const watching = run(["status", "edge", "-w", "--kubeconfig", kubeconfig], {
      onOut: (text) => text === "" || told.push(text) < 2,
    });
    await eventually(() => told.length > 0, { what: "the first look" });
    await cluster.stop("kube-apiserver");
    const away = await status();
    expect([away.code, away.out, away.err]).toEqual([2, "", expect.stringContaining(server)]);
    await cluster.start("kube-apiserver");
    const path = `/apis/${GROUP}/v1alpha1/namespaces/default/envoyconfigs/edge`;
    await patchStatus(cluster, path, { cacheState: "InSync", desiredVersion: "v1", publishedVersion: "v1" });
    expect((await watching).code).toBe(0);
    expect(told).toEqual([
      expect.stringMatching(/^NAME .*\ndefault\/edge +edge +- +- +Pending +- +\d+s\n$/),
      expect.stringMatching(/^default\/edge +edge +v1 +v1 +InSync +- +\d+s\n$/),
    ]);
  } finally {
    await cluster[Symbol.asyncDispose]();
  }
});

clusterTest("what MARIN3R has written is told as far as it goes", async () => {
  await using site = await openSite();
  const { namespace, cluster } = site;
  const path = `/apis/${GROUP}/v1alpha1/namespaces/${namespace}`;
  await site.configure("edge", [edge("hello")]);
  const spec = { nodeID: "edge", version: "6f4f7b7c9d", envoyAPI: "v3", resources: [edge("hello")] };
  const name = "edge-v3-6f4f7b7c9d";
  const labels = { [`${GROUP}/node-id`]: "edge", [`${GROUP}/config-version`]: spec.version };
  const revision = { apiVersion: `${GROUP}/v1alpha1`, kind: "EnvoyConfigRevision", metadata: { name, labels }, spec };
  await cluster.request("POST", `${path}/envoyconfigrevisions`, revision);
  const condition = { status: "True", reason: "ResourcesFailing", lastTransitionTime: "2024-11-08T12:00:00Z" };
  const tainted = { tainted: true, conditions: [{ ...condition, type: "RevisionTainted", message: "all refused" }] };
  await patchStatus(cluster, `${path}/envoyconfigrevisions/${name}`, tainted);
  const ref = { name, namespace, kind: "EnvoyConfigRevision", apiVersion: `${GROUP}/v1alpha1` };
  await patchStatus(cluster, `${path}/envoyconfigs/edge`, {
    cacheState: "RollbackFailed",
    publishedVersion: "",
    desiredVersion: spec.version,
    revisions: [{ version: spec.version, ref }],
  });
  const viewer = await person(site, "viewer", VIEWER);
  const status = await viewer.run("status");
  expect([status.code, status.err]).toEqual([0, ""]);
  expect(status.out).toMatch(
    / 6f4f7b7c9d +- +RollbackFailed +- +\d+s\n {2}error: version "6f4f7b7c9d" is not served: all refused/,
  );
  expect((await viewer.run("history", "edge")).out).toMatch(/6f4f7b7c9d +\d+s +never +- +desired,tainted\n/);
});

function patchStatus(cluster: ControlPlane, path: string, status: Fields): Promise<unknown> {
  return cluster.request("PATCH", `${path}/status`, { status }, "application/merge-patch+json");
}
