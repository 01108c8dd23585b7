import { expect } from "expect";
import { dirname } from "node:path";
import { systemClock } from "../../src/base/mod.ts";
import { type ApiError, connect } from "../../src/store/kubernetes/mod.ts";
import { clusterTest, type ControlPlane, sharedControlPlane } from "./control_plane/mod.ts";
import { applySampleCrd, eventually, openStore, SAMPLE, Told } from "./store_scene.ts";
import { ThrottlingProxy } from "./throttling_proxy.ts";

const SAMPLES = [{ apiGroups: ["conformance.chancery.dev"], resources: ["samples"], verbs: ["*"] }];

interface Kubeconfig {
  clusters: { name: string; cluster: Record<string, unknown> }[];
  users: { name: string; user: Record<string, unknown> }[];
  contexts: { name: string; context: Record<string, unknown> }[];
  "current-context"?: string;
}

/** A kubeconfig like the given one, changed. */
async function changed(path: string, change: (config: Kubeconfig) => void): Promise<string> {
  const config = JSON.parse(await Deno.readTextFile(path));
  change(config);
  const changedPath = await Deno.makeTempFile({ dir: dirname(path), suffix: ".kubeconfig" }); // goes with the cluster
  await Deno.writeTextFile(changedPath, JSON.stringify(config));
  return changedPath;
}

async function failure(promise: Promise<unknown>): Promise<ApiError> {
  return await promise.then(() => ({ message: "nothing was thrown" }), (thrown) => thrown);
}

async function adminPem(cluster: ControlPlane): Promise<{ cert: string; key: string }> {
  const read = (name: string) => Deno.readTextFile(`${cluster.directory}/${name}`);
  return { cert: await read("admin.crt"), key: await read("admin.key") };
}

clusterTest("a token that expires is read again from its file, and without a new one the problem is said", async () => {
  const cluster = await sharedControlPlane();
  await applySampleCrd(cluster);
  const namespace = await cluster.namespace();
  // API servers take a token for a minute longer, so that clocks need not be exact
  const given = await cluster.serviceAccount(namespace, "reader", SAMPLES, { lifetimeSeconds: 4 - 60 });
  const tokenFile = await Deno.makeTempFile({ dir: cluster.directory });
  let token = "";
  const kubeconfig = await changed(given, ({ users }) => {
    token = String(users[0]!.user["token"]);
    users[0]!.user = { tokenFile };
  });
  await Deno.writeTextFile(tokenFile, `${token}\n`);
  await using opened = await openStore(kubeconfig, { namespaces: [namespace], idleMs: 5000 });
  using told = await Told.watch(opened.store, SAMPLE.kind, namespace);
  expect(opened.connection.namespace).toBe(namespace);
  const advice = "check the credentials, they may have expired";
  const expired = () => opened.store.watches()[0]!.problem?.includes(advice) === true;
  await eventually(expired, "the token has expired", 60_000);
  const fresh = await cluster.token(namespace, "reader");
  await Deno.writeTextFile(tokenFile, fresh);
  const object = {
    apiVersion: SAMPLE.apiVersion,
    kind: SAMPLE.kind,
    metadata: { name: "a", namespace },
    spec: { size: 1 },
  };
  await opened.store.apply(object, { fieldManager: "test" }); // at once: refused, read again, taken
  await eventually(() => told.present.has("a"), "the watch goes on with the new token", 40_000);
  for (const secret of [token, fresh]) expect(opened.log.join("\n")).not.toContain(secret);
});

clusterTest("429 is obeyed: a request waits as long as it is told, and a watch too", async () => {
  const cluster = await sharedControlPlane();
  await applySampleCrd(cluster);
  const namespace = await cluster.namespace();
  await using proxy = new ThrottlingProxy(cluster.server, { ca: cluster.ca, ...await adminPem(cluster) });
  const kubeconfig = await changed(cluster.kubeconfig, ({ clusters, users }) => {
    clusters[0]!.cluster = { server: proxy.address };
    users[0]!.user = {};
  });
  await using opened = await openStore(kubeconfig, { namespaces: [namespace] });
  proxy.throttle({ times: 2, retryAfterS: 1 });
  const began = performance.now();
  expect((await opened.store.list(SAMPLE.kind, { namespace })).items).toEqual([]);
  expect(performance.now() - began).toBeGreaterThan(2000);
  expect(proxy.requests).toBe(3);

  proxy.throttle({ times: 1, retryAfterS: 1 });
  using told = await Told.watch(opened.store, SAMPLE.kind, namespace);
  expect(proxy.requests).toBe(2);
  expect(told.events).toEqual([]);

  proxy.throttle({ times: 1, retryAfterS: 60 });
  const thrown = await failure(opened.connection.request("/api/v1/namespaces", { timeoutMs: 5000 }));
  expect(thrown).toMatchObject({ code: "unavailable", status: 429, retryAfterMs: 60_000, retryable: true });
  expect(thrown.message).toBe(
    `Cannot GET /api/v1/namespaces: the API server ${proxy.address} says: too many requests (the API server is busy)`,
  );
});

clusterTest("a context, a namespace, a client certificate in files, and files that change", async () => {
  const cluster = await sharedControlPlane();
  const folder = await Deno.makeTempDir();
  const { cert, key } = await adminPem(cluster);
  const path = await changed(cluster.kubeconfig, (config) => {
    const { cluster: entry } = config.clusters[0]!;
    delete entry["certificate-authority-data"];
    entry["certificate-authority"] = "ca.crt";
    config.users.push({ name: "files", user: { "client-certificate": "me.crt", "client-key": "me.key" } });
    config.contexts.push({ name: "files", context: { cluster: "test", user: "files", namespace: "kube-system" } });
  });
  await Deno.rename(path, `${folder}/config`);
  await Deno.writeTextFile(`${folder}/ca.crt`, cluster.ca);
  await Deno.writeTextFile(`${folder}/me.crt`, cert);
  await Deno.writeTextFile(`${folder}/me.key`, key);
  const env = (name: string) => ({ KUBECONFIG: `${folder}/none:${folder}/config` })[name];
  const offset = { ms: 0 };
  const clock = { ...systemClock, monotonic: () => systemClock.monotonic() + offset.ms };
  await using connection = await connect({ env, context: "files", clock });
  expect(connection.namespace).toBe("kube-system");
  const whoAmI = async () => {
    const body = JSON.stringify({ apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" });
    const response = await connection.request("/apis/authentication.k8s.io/v1/selfsubjectreviews", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
    });
    return (await response.json()).status.userInfo.username;
  };
  const before = await whoAmI();
  await Deno.writeTextFile(`${folder}/me.crt`, "half of a ");
  offset.ms += 60_000;
  expect(await whoAmI()).toBe(before); // being replaced: the good one stays in use
  await Deno.writeTextFile(`${folder}/me.crt`, cert.replaceAll("\n", "\r\n"));
  offset.ms += 60_000;
  expect(await whoAmI()).toBe(before);
  await Deno.remove(folder, { recursive: true });
  offset.ms += 60_000;
  expect(await whoAmI()).toBe(before);
});

clusterTest("a credential plugin is asked once, and again when its token is refused", async () => {
  const cluster = await sharedControlPlane();
  const namespace = await cluster.namespace();
  await cluster.serviceAccount(namespace, "someone", SAMPLES);
  const folder = await Deno.makeTempDir();
  await Deno.writeTextFile(`${folder}/token`, "refused");
  await Deno.writeTextFile(
    `${folder}/plugin.sh`,
    `#!/bin/sh
echo "$KUBERNETES_EXEC_INFO" >>${folder}/calls
printf '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"%s"}}' "$(cat $TOKEN_FILE)"
`,
    { mode: 0o755 },
  );
  const kubeconfig = `${folder}/config`;
  const config = await changed(cluster.kubeconfig, ({ users }) => {
    const exec = {
      apiVersion: "client.authentication.k8s.io/v1",
      command: "./plugin.sh",
      env: [{ name: "TOKEN_FILE", value: `${folder}/token` }],
      provideClusterInfo: true,
      interactiveMode: "Never",
    };
    users[0]!.user = { exec };
  });
  await Deno.rename(config, kubeconfig);
  await using connection = await connect({ kubeconfig, env: () => undefined, clock: systemClock });
  const path = `/apis/conformance.chancery.dev/v1/namespaces/${namespace}/samples`;
  const thrown = await failure(connection.request(path));
  expect(thrown).toMatchObject({ code: "forbidden", status: 401 });
  const calls = async () => (await Deno.readTextFile(`${folder}/calls`)).trim().split("\n");
  expect((await calls()).length).toBe(2);
  await Deno.writeTextFile(`${folder}/token`, await cluster.token(namespace, "someone"));
  await Promise.all([connection.request(path), connection.request(path)]);
  await connection.request(path);
  expect((await calls()).length).toBeLessThanOrEqual(4);
  expect(JSON.parse((await calls())[0]!).spec.cluster.server).toBe(cluster.server);
  await Deno.remove(folder, { recursive: true });
});

clusterTest("in a pod the service account is used, and its namespace", async () => {
  const cluster = await sharedControlPlane();
  await applySampleCrd(cluster);
  const namespace = await cluster.namespace();
  await cluster.serviceAccount(namespace, "pod", SAMPLES);
  const serviceAccountDirectory = await Deno.makeTempDir();
  await Deno.writeTextFile(`${serviceAccountDirectory}/ca.crt`, cluster.ca);
  await Deno.writeTextFile(`${serviceAccountDirectory}/namespace`, namespace);
  await Deno.writeTextFile(`${serviceAccountDirectory}/token`, await cluster.token(namespace, "pod"));
  const { hostname, port } = new URL(cluster.server);
  const variables: Record<string, string> = { KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port };
  await using connection = await connect({
    env: (name) => variables[name],
    clock: systemClock,
    serviceAccountDirectory,
  });
  expect([connection.namespace, connection.source]).toEqual([namespace, "in-cluster"]);
  await connection.request(`/apis/conformance.chancery.dev/v1/namespaces/${namespace}/samples`);
  const thrown = await failure(connection.request("/api/v1/secrets", { doing: "list Secret in all namespaces" }));
  expect(thrown).toMatchObject({ code: "forbidden", status: 403, retryable: false });
  expect(thrown.message).toBe(
    `Cannot list Secret in all namespaces: the API server ${cluster.server} says: secrets is forbidden: User ` +
      `"system:serviceaccount:${namespace}:pod" cannot list resource "secrets" in API group "" at the cluster scope ` +
      `(grant it with a Role or ClusterRole and a binding)`,
  );
  await Deno.remove(serviceAccountDirectory, { recursive: true });
});

clusterTest("a server that cannot be reached is said with the reason", async () => {
  const cluster = await sharedControlPlane();
  const reason = async (change: (cluster: Record<string, unknown>) => void) => {
    const kubeconfig = await changed(cluster.kubeconfig, ({ clusters }) => change(clusters[0]!.cluster));
    await using connection = await connect({ kubeconfig, env: () => undefined, clock: systemClock });
    const { code, message } = await failure(connection.request("/version", { doing: "ask" }));
    return `${code}: ${message.replace(connection.server, "SERVER")}`;
  };
  expect(await reason((c) => c["server"] = "https://127.0.0.1:2")).toBe(
    "unavailable: Cannot ask: cannot reach the API server SERVER: nothing listens there (connection refused)",
  );
  expect(await reason((c) => c["server"] = "https://no-such-host.invalid")).toBe(
    "unavailable: Cannot ask: cannot reach the API server SERVER: its name is not known to the resolver",
  );
  expect(await reason((c) => delete c["certificate-authority-data"])).toBe(
    "unavailable: Cannot ask: cannot reach the API server SERVER: its certificate is signed by none of the authorities " +
      "that are trusted; check certificate-authority",
  );
  expect(await reason((c) => c["certificate-authority-data"] = btoa("nonsense"))).toBe(
    "invalid-input: Cannot connect to the API server: the certificate authority is no PEM certificate",
  );
  const { port } = new URL(cluster.server);
  expect(await reason((c) => c["server"] = `https://[::ffff:127.0.0.1]:${port}`)).toBe(
    "unavailable: Cannot ask: cannot reach the API server SERVER: its certificate is not for this name; check the address",
  );
});

clusterTest("a proxy of the environment is not asked for a server on the same machine", async () => {
  const cluster = await sharedControlPlane();
  const script = `
    import { connect } from ${JSON.stringify(import.meta.resolve("../../src/store/kubernetes/mod.ts"))};
    import { systemClock } from ${JSON.stringify(import.meta.resolve("../../src/base/mod.ts"))};
    await using connection = await connect({ kubeconfig: ${
    JSON.stringify(cluster.kubeconfig)
  }, env: (n) => Deno.env.get(n), clock: systemClock });
    const { status } = await connection.request("/version");
    console.log(status, Deno.env.get("NO_PROXY"), Deno.env.get("no_proxy"));
  `;
  const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["eval", "--no-check", script],
    env: { HTTPS_PROXY: "http://127.0.0.1:2", https_proxy: "http://127.0.0.1:2", NO_PROXY: "example.com" },
    cwd: new URL("../../", import.meta.url).pathname,
  }).output();
  expect(new TextDecoder().decode(stderr)).toBe("");
  expect(new TextDecoder().decode(stdout).trim()).toBe("200 example.com undefined");
});
