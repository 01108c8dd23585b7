import { expect } from "expect";
import { eventually } from "../envoy/harness/mod.ts";
import type { PodResponse } from "./node/mod.ts";
import { echo, IDLE, isReady, type PodObject, podOf, sceneTest, script, service, workload } from "./node/scene.ts";

function hostnameIn(response: PodResponse): string {
  return JSON.parse(response.body).hostname;
}

sceneTest(
  "a Deployment of two is reached by its Service's name from another Pod, in turn, and follows the scale",
  async (scene) => {
    await scene.create(
      workload("Deployment", "echo", { replicas: 2 }),
      service("echo"),
      podOf("client", { containers: [script("sh", IDLE)], terminationGracePeriodSeconds: 0 }),
    );
    const pods = await scene.readyPods("echo", 2);
    await scene.ready("client");
    const ask = async (host: string) =>
      hostnameIn(await scene.node.request(scene.name("client"), `http://${host}/hello`));
    const answered = await eventually(async () => {
      const names = new Set([await ask("echo"), await ask(`echo.${scene.namespace}.svc`)]);
      return names.size === 2 && names;
    }, { what: "both to answer" });
    expect([...answered].sort()).toEqual(pods.map(({ metadata }) => metadata.name).sort());

    const direct = await fetch(`http://${pods[0]?.status.podIP}:8080/direct`);
    expect(await direct.json()).toMatchObject({ hostname: pods[0]?.metadata.name, path: "/direct" });

    await scene.patch("apps/v1/deployments/echo", { spec: { replicas: 1 } });
    const [left] = await scene.readyPods("echo", 1);
    // the Pod is gone before its endpoint is, and before every proxy knows
    await eventually(async () => {
      const names = [await ask("echo"), await ask("echo"), await ask("echo")];
      return names.every((name) => name === left?.metadata.name);
    }, { what: "only the Pod that is left to answer", deadlineMs: 30_000 });
  },
);

sceneTest("init containers run in order, each to its end, before the application", async (scene) => {
  const shared = { volumeMounts: [{ name: "shared", mountPath: "/shared" }] };
  await scene.create(podOf("ordered", {
    volumes: [{ name: "shared", emptyDir: {} }],
    initContainers: [
      script("first", "sleep 0.3; echo first >>/shared/order", shared),
      script("second", "[ -e /shared/failed ] || { : >/shared/failed; exit 7; }; echo second >>/shared/order", shared),
    ],
    containers: [script("app", `cat /shared/order; ${IDLE}`, shared)],
    terminationGracePeriodSeconds: 0,
  }));
  const pod = await scene.ready("ordered");
  expect(await scene.logs("ordered")).toBe("first\nsecond\n");
  const [first, second] = pod.status.initContainerStatuses ?? [];
  expect([first?.ready, first?.restartCount, first?.state.terminated?.reason]).toEqual([true, 0, "Completed"]);
  expect([second?.ready, second?.restartCount, second?.lastState.terminated?.exitCode]).toEqual([true, 1, 7]);
});

sceneTest("a Job with a native sidecar starts after the sidecar and completes without it", async (scene) => {
  const shared = { volumeMounts: [{ name: "shared", mountPath: "/shared" }] };
  const sidecar = script(
    "proxy",
    `sleep 0.5; : >/shared/up; trap 'echo last; exit 0' TERM; while :; do sleep 0.1; done`,
    {
      ...shared,
      restartPolicy: "Always",
      startupProbe: { exec: { command: ["test", "-e", "/shared/up"] }, periodSeconds: 1, failureThreshold: 30 },
    },
  );
  await scene.create({
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name: "job" },
    spec: {
      template: {
        metadata: { labels: { app: "job" } },
        spec: {
          restartPolicy: "Never",
          volumes: [{ name: "shared", emptyDir: {} }],
          initContainers: [sidecar],
          containers: [script("work", "test -e /shared/up && echo worked", shared)],
        },
      },
    },
  });
  await eventually(
    async () => (await scene.get<{ status: { succeeded?: number } }>("batch/v1/jobs/job")).status.succeeded === 1,
    { what: "the Job to succeed", deadlineMs: 30_000 },
  );
  const [pod] = await scene.pods("job");
  expect(pod?.status.phase).toBe("Succeeded");
  expect(pod?.status.initContainerStatuses?.[0]?.state.terminated).toMatchObject({ exitCode: 0, reason: "Completed" });
  expect(await scene.logs(pod?.metadata.name ?? "")).toBe("worked\n");
  expect(await scene.logs(pod?.metadata.name ?? "", "proxy")).toBe("last\n");
});

sceneTest("a Pod waits for its Secret, and sees a change of it later, all keys at once", async (scene) => {
  await scene.create(podOf("reader", {
    volumes: [{ name: "secret", secret: { secretName: "keys", defaultMode: 0o440 } }],
    containers: [script("sh", IDLE, {
      volumeMounts: [
        { name: "secret", mountPath: "/etc/keys" },
        { name: "secret", mountPath: "/etc/one", subPath: "a" },
      ],
      env: [{ name: "A", valueFrom: { secretKeyRef: { name: "keys", key: "a" } } }],
    })],
    terminationGracePeriodSeconds: 0,
  }));
  const waiting = ({ status }: PodObject) => status.containerStatuses?.[0]?.state.waiting;
  await scene.until("reader", "waiting", (pod) => waiting(pod)?.message?.endsWith('secret "keys" not found') === true);
  await scene.create({ kind: "Secret", metadata: { name: "keys" }, stringData: { a: "1", b: "1" } });
  await scene.ready("reader");
  const read = async (text: string) => (await scene.node.exec(scene.name("reader"), ["sh", "-c", text])).stdout;
  expect(await read("cat /etc/keys/a /etc/keys/b /etc/one; echo $A; stat -Lc %a /etc/keys/a; readlink /etc/keys/a"))
    .toBe(
      "1111\n440\n..data/a\n",
    );
  const before = await read("readlink /etc/keys/..data");

  scene.node.volumeDelayMs = 1000;
  const changedAt = performance.now();
  await scene.patch("secrets/keys", { stringData: { a: "2", c: "2" }, data: { b: null } });
  await eventually(async () => await read("readlink /etc/keys/..data") !== before, { what: "the change to be seen" });
  expect(performance.now() - changedAt).toBeGreaterThan(990);
  // What was mounted by a path within stays what it was.
  expect(await read("ls /etc/keys; cat /etc/keys/a /etc/keys/c /etc/one")).toBe("a\nc\n221");
  expect((await scene.node.exec(scene.name("reader"), ["sh", "-c", ": >/etc/keys/x"])).code).not.toBe(0);
});

sceneTest("a container finds its variables, fields and projected files", async (scene) => {
  await scene.create(
    { kind: "ConfigMap", metadata: { name: "settings" }, data: { MODE: "fast", file: "text" } },
    podOf("told", {
      volumes: [{
        name: "all",
        projected: {
          sources: [
            { configMap: { name: "settings", items: [{ key: "file", path: "deep/file" }] } },
            { downwardAPI: { items: [{ path: "labels", fieldRef: { fieldPath: "metadata.labels" } }] } },
            { secret: { name: "nobody", optional: true } },
          ],
        },
      }],
      containers: [
        script("sh", `printf '%s\\n' "$MODE" "$WHO" "$0" "$LIMIT"; cat /all/deep/file /all/labels; hostname; ${IDLE}`, {
          args: ["$(WHO)!"],
          envFrom: [{ configMapRef: { name: "settings" } }],
          env: [
            { name: "POD", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
            { name: "IP", valueFrom: { fieldRef: { fieldPath: "status.podIP" } } },
            { name: "WHO", value: "$(POD)@$(IP)" },
            { name: "LIMIT", valueFrom: { resourceFieldRef: { resource: "limits.memory", divisor: "1Mi" } } },
          ],
          resources: { limits: { memory: "64Mi" } },
          volumeMounts: [{ name: "all", mountPath: "/all" }],
        }),
      ],
      terminationGracePeriodSeconds: 0,
    }),
  );
  const { status } = await scene.ready("told");
  await eventually(async () => (await scene.logs("told")).split("\n").length === 6, { what: "the output" });
  const who = `told@${status.podIP}`;
  expect(await scene.logs("told")).toBe(`fast\n${who}\n${who}!\n64\ntextapp="told"told\n`);
});

sceneTest("a Pod ends by its hook, SIGTERM and, when it does not listen, SIGKILL", async (scene) => {
  const lifecycle = { preStop: { exec: { command: ["sh", "-c", "sleep 0.3; echo hook >/proc/1/fd/1"] } } };
  const polite = "trap 'echo told; exit 5' TERM; while :; do sleep 0.1; done";
  await scene.create(
    podOf("polite", { containers: [script("sh", polite, { lifecycle })], terminationGracePeriodSeconds: 20 }),
    podOf("deaf", { containers: [script("sh", "sleep 1000")], terminationGracePeriodSeconds: 1 }),
  );
  await scene.ready("polite");
  await scene.ready("deaf");
  // A finalizer keeps what the node says last.
  for (const name of ["polite", "deaf"]) {
    await scene.patch(`pods/${name}`, { metadata: { finalizers: ["chancery.test/keep"] } });
    await scene.cluster.request("DELETE", scene.path(`pods/${name}`));
  }
  const end = async (name: string) =>
    (await scene.until(name, "ended", ({ status }) => status.phase === "Failed" && !isReady({ status } as PodObject)))
      .status.containerStatuses?.[0]?.state.terminated;
  expect(await end("polite")).toMatchObject({ exitCode: 5, reason: "Error" });
  expect(await scene.logs("polite")).toBe("hook\ntold\n");
  expect(await end("deaf")).toMatchObject({ exitCode: 137, reason: "Error" });
  for (const name of ["polite", "deaf"]) {
    await scene.patch(`pods/${name}`, { metadata: { finalizers: null } });
    await scene.gone(name);
  }
});

sceneTest(
  "a Service leaves out a Pod that is not ready, and a container that is not alive starts anew",
  async (scene) => {
    const container = echo({
      livenessProbe: {
        httpGet: { path: "/live", port: 8080 },
        periodSeconds: 1,
        failureThreshold: 2,
        terminationGracePeriodSeconds: 1,
      },
    });
    await scene.create(
      workload("Deployment", "echo", { replicas: 1 }, container),
      service("echo"),
      podOf("client", { containers: [script("sh", IDLE)], terminationGracePeriodSeconds: 0 }),
    );
    const [pod] = await scene.readyPods("echo", 1);
    await scene.ready("client");
    const ask = () => scene.node.request(scene.name("client"), "http://echo/");
    await eventually(ask, { what: "an answer" });
    const post = (path: string) =>
      fetch(`http://${pod?.status.podIP}:8080${path}`, { method: "POST" }).then((it) => it.text());

    await post("/unready");
    await eventually(() => ask().then(() => false, () => true), { what: "no answer", deadlineMs: 30_000 });
    await post("/ready");
    await eventually(ask, { what: "an answer again" });

    // Stopped, the server takes connections and never answers.
    const name = pod?.metadata.name ?? "";
    scene.node.signal(scene.name(name), "SIGSTOP");
    await scene.until(name, "started anew", ({ status }) => status.containerStatuses?.[0]?.restartCount === 1, 60_000);
    await eventually(ask, { what: "an answer of the new process", deadlineMs: 30_000 });
  },
  { restartDelay: { baseMs: 100, maxMs: 1000 } },
);

sceneTest("a container that ends again and again is started at once, then later and later", async (scene) => {
  await scene.create(podOf("crashing", { containers: [script("sh", "echo life; exit 3")] }));
  const crashed = await scene.until("crashing", "in back-off", ({ status }) => {
    const [sh] = status.containerStatuses ?? [];
    return sh?.restartCount === 3 && sh.state.waiting?.reason === "CrashLoopBackOff";
  });
  const [status] = crashed.status.containerStatuses ?? [];
  expect(status?.state.waiting?.message).toBe("back-off 0.8s restarting failed container=sh");
  expect(status?.lastState.terminated).toMatchObject({ exitCode: 3, reason: "Error" });
  expect(crashed.status.phase).toBe("Running");
  expect(await scene.logs("crashing")).toBe("life\n".repeat(4));
}, { restartDelay: { baseMs: 200, maxMs: 2000 } });

sceneTest("a container that cannot be started says why, and starts once it can be", async (scene) => {
  await scene.create(
    podOf("unknown", { containers: [{ name: "app", image: "nobody:1" }] }),
    podOf("unset", {
      containers: [script("sh", IDLE, { envFrom: [{ configMapRef: { name: "later" } }] })],
      terminationGracePeriodSeconds: 0,
    }),
  );
  const reason = ({ status }: PodObject) => status.containerStatuses?.[0]?.state.waiting?.reason;
  await scene.until("unknown", "without an image", (pod) => reason(pod) === "ErrImagePull");
  await scene.until("unset", "without its settings", (pod) => reason(pod) === "CreateContainerConfigError");
  await scene.create({ kind: "ConfigMap", metadata: { name: "later" }, data: {} });
  await scene.ready("unset");
});

sceneTest("the token of a Pod is good for the API, from within, and is renewed", async (scene) => {
  await scene.create(podOf("account", { containers: [script("sh", IDLE)], terminationGracePeriodSeconds: 0 }));
  await scene.ready("account");
  const folder = "/var/run/secrets/kubernetes.io/serviceaccount";
  const read = async (file: string) =>
    (await scene.node.exec(scene.name("account"), ["cat", `${folder}/${file}`])).stdout;
  const who = async (token: string) => {
    const response = await scene.node.request(scene.name("account"), {
      url: "https://kubernetes.default.svc/apis/authentication.k8s.io/v1/selfsubjectreviews",
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" }),
      ca: await read("ca.crt"),
    });
    return [response.status, JSON.parse(response.body).status?.userInfo?.username];
  };
  expect(await read("namespace")).toBe(scene.namespace);
  const token = await read("token");
  const user = `system:serviceaccount:${scene.namespace}:default`;
  expect(await who(token)).toEqual([201, user]);
  expect(await who("nonsense")).toEqual([401, undefined]);
  await scene.node.renewTokens(scene.name("account"));
  const renewed = await read("token");
  expect(renewed).not.toBe(token);
  expect(await who(renewed)).toEqual([201, user]);
});

sceneTest("a container has its own files, user, capabilities and limits of ports", async (scene) => {
  const securityContext = {
    runAsUser: 101,
    runAsGroup: 102,
    runAsNonRoot: true,
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ["ALL"] },
  };
  await scene.create(podOf("confined", {
    securityContext: { fsGroup: 103, sysctls: [{ name: "net.ipv4.ip_unprivileged_port_start", value: "0" }] },
    volumes: [{ name: "own", emptyDir: {} }],
    containers: [script("sh", IDLE, { securityContext, volumeMounts: [{ name: "own", mountPath: "/own" }] })],
    terminationGracePeriodSeconds: 0,
  }));
  await scene.ready("confined");
  const run = (text: string) => scene.node.exec(scene.name("confined"), ["sh", "-c", text]);
  expect((await run("id -u; id -g; id -G")).stdout).toBe("101\n102\n102 103\n");
  expect((await run("grep -E 'CapEff|CapBnd|NoNewPrivs' /proc/self/status")).stdout.replaceAll(/\s+/g, " ").trim())
    .toBe(
      "CapEff: 0000000000000000 CapBnd: 0000000000000000 NoNewPrivs: 1",
    );
  expect((await run(": >/usr/x")).stderr).toContain("Read-only file system");
  expect((await run(": >/own/x && stat -c %g /own/x")).stdout).toBe("103\n");
  expect((await run("ls /tmp; cat /proc/sys/net/ipv4/ip_unprivileged_port_start")).stdout).toBe("0\n");
});

sceneTest("a DaemonSet has a Pod on each Node, and Pods of a StatefulSet know each other by name", async (scene) => {
  const labels = { app: "each" };
  const nodeSelector = { "chancery.test/daemons": "here" }; // its controller looks at every Node there is
  const template = { metadata: { labels }, spec: { nodeSelector, containers: [script("sh", IDLE)] } };
  await scene.create(
    workload("DaemonSet", "each", { template }),
    workload("StatefulSet", "set", { replicas: 2, serviceName: "set", podManagementPolicy: "Parallel" }),
    service("set", { clusterIP: "None", publishNotReadyAddresses: true }),
  );
  const daemons = await scene.readyPods("each", 2);
  expect(daemons.map(({ spec }) => spec.nodeName).sort()).toEqual([...scene.node.names].sort());
  await scene.readyPods("set", 2);
  const ask = () => scene.node.request(scene.name("set-0"), "http://set-1.set:8080/");
  expect(hostnameIn(await eventually(ask, { what: "an answer" }))).toBe("set-1");
}, { nodes: 2, labels: { "chancery.test/daemons": "here" } });
