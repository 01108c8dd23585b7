import { expect } from "expect";
import { formatFinding } from "../../base/mod.ts";
import { parseYaml } from "../../base/yaml/mod.ts";
import { type EditedManifests, injectManifests, type InjectManifestsOptions, uninjectManifests } from "./mod.ts";

function inject(text: string, options: Partial<InjectManifestsOptions> = {}): EditedManifests {
  return injectManifests(text, {
    file: "shop.yaml",
    image: "example.com/chancery:test",
    namespace: "shop",
    discoveryService: undefined,
    verify: false,
    clientAuthorization: "Off",
    ...options,
  });
}

const LABELS = "labels: { marin3r.3scale.net/status: enabled }";
const OTHER = `# A text that nobody should touch.
apiVersion: v1
kind: ConfigMap
metadata: {name:   other}   # oddly written
data:
    a:   'yes'
`;
const WEB = `apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec:
  template:
    metadata:
      ${LABELS}
      annotations: { marin3r.3scale.net/node-id: shop } # ours
    spec:
      containers:
      - name: web
        image: "example.com/web"
`;
const SERVICE = `apiVersion: operator.marin3r.3scale.net/v1alpha1
kind: DiscoveryService
metadata: { name: ds }
spec: { xdsServerPort: 20000 }
`;

interface Workload {
  readonly spec: {
    readonly template: { readonly spec: PodSpec };
    readonly jobTemplate: { readonly spec: { readonly template: { readonly spec: PodSpec } } };
  };
}

interface PodSpec {
  readonly containers: readonly { readonly name: string }[];
  readonly initContainers: readonly { readonly args: readonly string[] }[];
}

Deno.test("injectManifests() leaves everything else as it was written, and finds nothing to do the second time", () => {
  const text = `${OTHER}--- # second\n${WEB}---\n\n# nothing\n---\n${SERVICE}`;
  const { text: after, changed, findings } = inject(text);
  expect([changed, findings]).toEqual([['Deployment "shop/web"'], []]);
  expect(after.startsWith(`${OTHER}--- # second\n${WEB}      - name: envoy-sidecar\n`)).toBe(true);
  expect(after.endsWith(`---\n\n# nothing\n---\n${SERVICE}`)).toBe(true);
  const { spec } = parseYaml(after, "").documents[1]!.value as Workload;
  expect(spec.template.spec.initContainers[0]!.args.join(" ")).toContain(
    "--xdss-host marin3r-ds.shop.svc --xdss-port 20000",
  );
  const again = inject(after);
  expect(again.text).toBe(after);
  expect(again.findings.map(formatFinding)).toEqual([
    'shop.yaml:16:5: warning: spec.template.spec: the pod has the sidecar "envoy-sidecar" already; nothing is added',
  ]);
});

Deno.test("uninjectManifests() undoes injectManifests(), and leaves everything else as it was written", () => {
  const more = "marin3r.3scale.net/node-id: shop, marin3r.3scale.net/shutdown-manager.enabled: 'true', " +
    "marin3r.3scale.net/shutdown-manager.extra-lifecycle-hooks: web";
  for (const mode of ["container", "native"]) {
    const web = WEB.replace("marin3r.3scale.net/node-id: shop", `${more}, marin3r.3scale.net/sidecar-mode: ${mode}`);
    const text = `${OTHER}--- # second\n${web}---\n\n# nothing\n---\n${SERVICE}`;
    const there = inject(text);
    expect(there.changed).toEqual(['Deployment "shop/web"']);
    const back = uninjectManifests(there.text, { file: "shop.yaml", namespace: "shop" });
    expect([mode, back.text]).toEqual([mode, text]);
    expect(back.changed).toEqual(there.changed);
    expect(back.findings.map(({ message }) => message)).toEqual([
      "330 goes with the sidecar whose drain it was for; what was said before is not known",
    ]);
    const again = uninjectManifests(back.text, { file: "shop.yaml", namespace: "shop" });
    expect(again).toEqual({ text, changed: [], findings: [] });
  }
});

Deno.test("S2: injectManifests() mounts the certificate of the node id where each has its own", () => {
  const service = SERVICE.replace("spec: {", "spec: { clientAuthorization: NodeID,");
  const own = /[nN]ame: envoy-sidecar-client-cert-[a-z2-7]{16}\n/;
  expect(inject(`${WEB}---\n${service}`).text).toMatch(own);
  expect(inject(WEB, { discoveryService: "ds", clientAuthorization: "NodeID" }).text).toMatch(own);
  expect(inject(WEB, { discoveryService: "ds" }).text).toContain("secretName: envoy-sidecar-client-cert\n");
});

Deno.test("injectManifests() knows every kind that makes pods, in lists and in JSON, too", () => {
  const pod = {
    metadata: {
      labels: { "marin3r.3scale.net/status": "enabled" },
      annotations: { "marin3r.3scale.net/node-id": "shop" },
    },
    spec: { containers: [{ name: "app", image: "example.com/app" }] },
  };
  const made = ["apps/v1/Deployment", "apps/v1/StatefulSet", "apps/v1/DaemonSet", "apps/v1/ReplicaSet", "batch/v1/Job"];
  const items = [
    ...made.map((kind) => ({
      kind: kind.split("/")[2],
      apiVersion: kind.split("/").slice(0, 2).join("/"),
      metadata: { name: "x" },
      spec: { template: pod },
    })),
    {
      apiVersion: "batch/v1",
      kind: "CronJob",
      metadata: { name: "x" },
      spec: { jobTemplate: { spec: { template: pod } } },
    },
    { apiVersion: "v1", kind: "Pod", ...pod, metadata: { ...pod.metadata, name: "x" } },
    {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "plain" },
      spec: { template: { ...pod, metadata: {} } },
    },
    { apiVersion: "example.com/v1", kind: "Deployment", metadata: { name: "foreign" }, spec: { template: pod } },
  ];
  const list = { apiVersion: "v1", kind: "List", items };
  const { text, changed: injected, findings } = inject(JSON.stringify(list), { discoveryService: "ds", verify: true });
  expect(findings).toEqual([]);
  expect(injected).toHaveLength(7);
  const after = JSON.parse(text) as typeof list;
  expect(after.items.slice(7)).toEqual(items.slice(7));
  for (const item of after.items.slice(0, 7)) expect(JSON.stringify(item)).toContain("marin3r-ca-bundle-ds");
  const back = uninjectManifests(text, { file: "shop.json", namespace: "shop" });
  expect([JSON.parse(back.text), back.changed]).toEqual([list, injected]);
});

Deno.test("C15: injectManifests() tells all that is wrong with its places, and changes nothing then", () => {
  const bad = WEB.replace("node-id: shop", "node-id: ''").replace(LABELS, `${LABELS}\n      x: y`);
  const text = `${WEB}---\n${bad}`;
  const { text: after, changed, findings } = inject(text);
  expect([after, changed]).toEqual([text, []]);
  expect(findings.map(formatFinding).map((line) => line.slice(0, 30))).toEqual([
    "shop.yaml:8:7: error: spec.tem",
    "shop.yaml:22:22: error: spec.t",
    "shop.yaml:22:7: error: spec.te",
  ]);
  expect(inject("a: [").findings).toHaveLength(1);
  expect(inject("a: [").text).toBe("a: [");
});

Deno.test("inject prints manifests, and says by its status what became of them", async () => {
  const cli = decodeURIComponent(new URL("../../../cli.ts", import.meta.url).pathname);
  const run = async (text: string, ...args: string[]) => {
    const child = new Deno.Command(Deno.execPath(), {
      args: ["run", "--quiet", "--allow-all", cli, "inject", ...args],
      env: { MARIN3R_IMAGE: "example.com/chancery:older", RELATED_IMAGE_ENVOY: "example.com/envoy:mirrored" },
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    const writer = child.stdin.getWriter();
    await writer.write(new TextEncoder().encode(text));
    await writer.close();
    const { code, stdout, stderr } = await child.output();
    return { code, out: new TextDecoder().decode(stdout), err: new TextDecoder().decode(stderr) };
  };
  const good = await run(WEB, "--discovery-service", "ds", "-n", "blog");
  expect([good.code, good.err, good.out.includes("marin3r-ds.blog.svc")]).toEqual([0, "", true]);
  const images = ["example.com/chancery:older", "example.com/envoy:mirrored"];
  expect(images.filter((image) => good.out.includes(image))).toEqual(images);
  expect(await run(OTHER)).toEqual({ code: 0, out: OTHER, err: "no pod asks for a sidecar\n" });
  const bad = await run(WEB);
  expect([bad.code, bad.out, bad.err.includes("--discovery-service names one of the cluster")]).toEqual([1, "", true]);
  const back = await run(good.out, "--uninject");
  expect(back).toEqual({ code: 0, out: WEB, err: "" });
  const missing = await run("", "-f", "/nowhere/shop.yaml");
  expect([missing.code, missing.out, missing.err.includes('Cannot read "/nowhere/shop.yaml"')]).toEqual([2, "", true]);
});
