import { expect } from "expect";
import { eventually } from "../envoy/harness/mod.ts";
import { clusterTest, startControlPlane } from "./control_plane/mod.ts";
import { NAME, openLoaderScene, rules } from "./loader/scene.ts";
import { TcpProxy } from "./tcp_proxy.ts";
import { ThrottlingProxy } from "./throttling_proxy.ts";

clusterTest("L1: keys and ConfigMaps that go away take their files with them, and come back", async () => {
  await using scene = await openLoaderScene();
  await scene.put({ "one.txt": "1", "two.txt": "2" });
  const loader = scene.start();
  await loader.ready();
  await scene.put({ "two.txt": "2" });
  await loader.wait("one key less", async () => (await scene.files()).join() === "two.txt");
  await scene.remove();
  await loader.wait("no files", async () => (await scene.files()).length === 0);
  expect((await loader.probe("/readyz")).body).toContain("is missing");
  await scene.put({ "three.txt": "3" });
  await loader.wait("the new file", async () => (await scene.files()).join() === "three.txt");
  await loader.ready();
  expect((await loader.probe("/metrics")).body).toMatch(/chancery_loader_sources\{.*state="present"\} 1/);
});

clusterTest(
  "L5: the CA of the pod is used, --insecure goes without only when it has to, and no token is ever shown",
  async () => {
    await using scene = await openLoaderScene();
    await scene.put({ "note.txt": "x" });
    const args = ["-onetime", "-configmap", NAME];
    expect((await scene.once([...args, "-insecure"])).stderr).not.toContain("not verified");
    await Deno.writeTextFile(`${scene.folder}/ca.crt`, "");
    expect(await scene.once(args)).toMatchObject({ code: 7 });
    const { code, stderr } = await scene.once([...args, "-insecure"]);
    expect([code, stderr.includes("not verified")]).toEqual([0, true]);
    expect(await scene.files()).toEqual(["note.txt"]);
  },
);

clusterTest("L5: token and CA are read again, so both may be replaced while the loader runs", async () => {
  await using scene = await openLoaderScene();
  await scene.put({ "note.txt": "0" });
  const loader = scene.start(["-configmap", NAME, "-watch", "-sync-interval", "1s"]);
  await loader.ready();
  const said = (reason: string) => loader.process.lines.some((line) => line.includes(`"reason":"${reason}"`));
  await Deno.writeTextFile(scene.tokenFile, "expired");
  await loader.wait("the refusal of the token", () => said("forbidden"));
  await scene.put({ "note.txt": "1" });
  await scene.rotateToken();
  await loader.wait("the change with the new token", async () => (await scene.file("note.txt")) === "1");
  await Deno.writeTextFile(`${scene.folder}/ca.crt`, "");
  await loader.wait("the distrust of the server", () => said("unreachable"));
  await scene.put({ "note.txt": "2" });
  await Deno.writeTextFile(`${scene.folder}/ca.crt`, scene.cluster.ca);
  await loader.wait("the change with the new CA", async () => (await scene.file("note.txt")) === "2");
  await loader.ready();
});

clusterTest(
  "L6: exit codes tell missing, forbidden, unreachable, unwritable and invalid apart, and the message says why",
  async () => {
    await using scene = await openLoaderScene({ rules: rules([NAME, "other"]) });
    const once = async (...args: string[]) => {
      const { code, stderr } = await scene.once(["-onetime", ...args]);
      return [code, stderr];
    };
    const [missing, why] = await once("-configmap", NAME);
    expect([missing, String(why).includes("does not exist")]).toEqual([5, true]);
    const [forbidden, because] = await once("-configmap", "elsewhere");
    expect([forbidden, /cannot get resource/.test(String(because))]).toEqual([6, true]);
    await scene.put({ "cds.yaml": "resources: []", "note.txt": "x" });
    expect((await once("-configmap", NAME))[0]).toBe(1);
    expect((await scene.once(["-onetime", "-configmap", NAME], "https://127.0.0.1:1")).code).toBe(7);
    await scene.put({ "note.txt": "x" });
    await Deno.remove(scene.root, { recursive: true });
    await Deno.writeTextFile(scene.root, "");
    expect((await once("-configmap", NAME))[0]).toBe(8);
    await Deno.remove(scene.root);
    await scene.put({ "note.txt": "y" }, "other");
    const [conflict, names] = await once("-configmap", NAME, "-configmap", "other");
    expect(conflict).toBe(1);
    for (const name of [NAME, "other"]) expect(names).toContain(`configmap ${scene.namespace}/${name}`);
  },
);

clusterTest("L6: an object of 900 kB is watched like any other, and a watch that is cut loses nothing", async () => {
  await using scene = await openLoaderScene();
  await using proxy = new TcpProxy(scene.cluster.server);
  const large = (start: string) => ({ "large.txt": `${start}${"x".repeat(900_000)}` });
  await scene.put(large("0"));
  const loader = scene.start(["-configmap", NAME, "-watch", "-sync-interval", "5m"], proxy.address);
  await loader.ready();
  await scene.put(large("1"));
  await loader.wait("the change, by the watch", async () => (await scene.file("large.txt")).startsWith("1x"));
  for (const round of ["2", "3", "4"]) {
    proxy.cut();
    await scene.put(large(round));
    await loader.wait("the change after a cut", async () => (await scene.file("large.txt")).startsWith(round));
  }
  // While nothing goes through, the change is made; nothing is lost.
  proxy.mode = "hole";
  proxy.cut();
  await scene.put(large("5"));
  proxy.mode = "forward";
  await loader.wait("the change after silence", async () => (await scene.file("large.txt")).startsWith("5"), 30_000);
});

clusterTest("L6: the API server is left alone as long as it asks for it", async () => {
  await using scene = await openLoaderScene();
  await scene.put({ "note.txt": "0" });
  const read = (name: string) => Deno.readTextFile(`${scene.cluster.directory}/${name}`);
  await using proxy = new ThrottlingProxy(scene.cluster.server, {
    ca: scene.cluster.ca,
    cert: await read("admin.crt"),
    key: await read("admin.key"),
  });
  proxy.throttle({ times: 1, retryAfterS: 2 });
  const start = performance.now();
  const loader = scene.start(["-configmap", NAME, "-sync-interval", "1s"], proxy.address);
  await loader.ready();
  expect(performance.now() - start).toBeGreaterThan(2000);
  expect(loader.process.lines.join("\n")).toContain("429");
});

clusterTest("L6: an account that may only get is served by asking", async () => {
  await using scene = await openLoaderScene({ rules: rules([NAME], ["get"]) });
  await scene.put({ "note.txt": "0" });
  const loader = scene.start(["-configmap", NAME, "-watch", "-sync-interval", "300ms"]);
  await loader.ready();
  await loader.wait(
    "the word about it",
    () => loader.logged("Changes are found by asking: this account may get, but not watch").length === 1,
  );
  await scene.put({ "note.txt": "1" });
  await loader.wait("the change", async () => (await scene.file("note.txt")) === "1");
  expect(loader.logged("Changes are found by asking: this account may get, but not watch")).toHaveLength(1);
});

clusterTest("L6: a restarted API server is taken up again, and what changed meanwhile arrives", async () => {
  await using cluster = await startControlPlane({ components: ["etcd", "kube-apiserver"] });
  await using scene = await openLoaderScene({ cluster });
  await scene.put({ "note.txt": "0" });
  const loader = scene.start(["-configmap", NAME, "-watch", "-sync-interval", "2s"]);
  await loader.ready();
  await cluster.stop("kube-apiserver");
  await loader.wait(
    "the word about it",
    () => loader.process.lines.some((line) => line.includes('"reason":"unreachable"')),
  );
  expect(await scene.file("note.txt")).toBe("0");
  expect((await loader.probe("/readyz")).status).toBe(200);
  await cluster.start("kube-apiserver");
  await scene.put({ "note.txt": "1" });
  await loader.wait("the change", async () => (await scene.file("note.txt")) === "1", 45_000);
});

clusterTest("L6: what is older than all that the API server remembers is watched all the same", async () => {
  // It compacts its history every second, and keeps none of it in memory.
  const apiserverFlags = ["--etcd-compaction-interval=1s", "--watch-cache=false"];
  await using cluster = await startControlPlane({ components: ["etcd", "kube-apiserver"], apiserverFlags });
  await using scene = await openLoaderScene({ cluster });
  await scene.put({ "note.txt": "0" });
  const [path, query] = [`/api/v1/namespaces/${scene.namespace}/configmaps`, "watch=true&timeoutSeconds=1"];
  const { metadata } = await cluster.request("GET", `${path}/${NAME}`) as { metadata: { resourceVersion: string } };
  await eventually(async () => {
    await scene.put({ "note.txt": String(performance.now()) }, "another");
    // Text of a watch, which is no JSON document when it has nothing to tell.
    const told = await cluster.request("GET", `${path}?${query}&resourceVersion=${metadata.resourceVersion}`).catch(
      String,
    );
    return JSON.stringify(told).includes("410") || JSON.stringify(told).includes("too old resource version");
  }, { what: "the version to be forgotten", deadlineMs: 40_000 });

  const loader = scene.start(["-configmap", NAME, "-watch", "-sync-interval", "5m", "--log-level", "debug"]);
  await loader.ready();
  const over = () => loader.logged("A watch is over").map(({ code }) => code);
  await loader.wait("the word that it is forgotten", () => over().length > 0);
  for (const round of ["1", "2", "3"]) {
    await scene.put({ "note.txt": round });
    await loader.wait("the change", async () => (await scene.file("note.txt")) === round);
  }
  await scene.remove();
  await loader.wait("the removal", async () => (await scene.files()).length === 0);
  expect(over()).toEqual([410]); // once, and from then on changes came by a watch
});

clusterTest("L8: folders, binaryData, Secrets, other namespaces and a selector", async () => {
  const secrets = { apiGroups: [""], resources: ["secrets"], resourceNames: ["tls"], verbs: ["get", "watch"] };
  const select = { apiGroups: [""], resources: ["configmaps"], verbs: ["get", "list", "watch"] };
  await using scene = await openLoaderScene({ rules: [...rules([NAME]), secrets, select] });
  await scene.put({ "note.txt": "a" }, NAME, { binaryData: { "bytes.bin": "AAH/" } });
  await scene.put({ "note.txt": "b" }, "second");
  await scene.put({ "selected.txt": "c" }, "third", { metadata: { labels: { xds: "yes" } } });
  await scene.cluster.request("POST", `/api/v1/namespaces/${scene.namespace}/secrets`, {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "tls" },
    stringData: { "tls.key": "key" },
  });
  const loader = scene.start([
    ...["-configmap", `${scene.namespace}/${NAME}`, "-configmap", "second=second", "--secret", "tls=certs"],
    ...["--selector", "xds=yes", "-watch"],
  ]);
  await loader.ready();
  expect(await scene.files()).toEqual(["bytes.bin", "certs/tls.key", "note.txt", "second/note.txt", "selected.txt"]);
  expect(await Deno.readFile(`${scene.root}/current/bytes.bin`)).toEqual(new Uint8Array([0, 1, 255]));
  expect(await scene.file("second/note.txt")).toBe("b");
  expect(((await Deno.stat(`${scene.root}/current/certs/tls.key`)).mode ?? 0) & 0o777).toBe(0o640);
  await scene.put({ "fourth.txt": "d" }, "fourth", { metadata: { labels: { xds: "yes" } } });
  await loader.wait("what is selected now", async () => (await scene.files()).includes("fourth.txt"));
  await scene.remove("third");
  await loader.wait("what no longer is", async () => !(await scene.files()).includes("selected.txt"));
});

clusterTest("L10: every key is passed on as it is, and nothing is written to the API", async () => {
  await using scene = await openLoaderScene({ rules: rules([NAME], ["get"]) });
  const rds =
    "# with a comment\nresources:\n- '@type': type.googleapis.com/envoy.config.route.v3.RouteConfiguration\n  name: b\n";
  await scene.put({ "rds.yaml": rds, "unrelated.json": '{"z": 1,   "a": 2}' });
  const objects = () => scene.cluster.request("GET", `/api/v1/namespaces/${scene.namespace}/configmaps`);
  const { items: before } = await objects() as { items: unknown };
  expect((await scene.once(["-onetime", "-configmap", NAME])).code).toBe(0);
  expect([await scene.file("rds.yaml"), await scene.file("unrelated.json")]).toEqual([rds, '{"z": 1,   "a": 2}']);
  expect((await objects() as { items: unknown }).items).toEqual(before);
});
