import { expect } from "expect";
import { clusterTest } from "./control_plane/mod.ts";
import { WebhookProcess } from "./webhook/webhook_process.ts";
import { config, ENTRY, items, WebhookSite } from "./webhook/webhook_site.ts";

const CLUSTER = { type: "cluster", value: { name: "c", connect_timeout: "10 miliseconds" } };

/** What kubectl prints for a refusal. */
function refusal(errors: readonly string[]): string {
  return `admission webhook "${ENTRY}" denied the request: ${JSON.stringify({ errors })}`;
}

clusterTest("Scenario S5: a bad EnvoyConfig is refused when it is applied, and the user reads why", async () => {
  await using site = await WebhookSite.make();
  await site.open();
  const bad = await site.apply(config("edge", "edge", [CLUSTER, { type: "route", value: { nme: "r" } }]));
  expect(bad.code).toBe(1);
  expect(bad.stderr).toContain("Error from server (Forbidden): ");
  expect(bad.stderr).toContain(refusal([
    'spec.resources[0].value.connect_timeout: expected a duration such as "0.25s", found string "10 miliseconds"',
    'spec.resources[1].value.nme: envoy.config.route.v3.RouteConfiguration has no field "nme", did you mean "name"?',
  ]));
  const dry = await site.apply(config("edge", "edge", [CLUSTER]), "--dry-run=server");
  expect(dry.stderr).toContain("denied the request");
  expect((await site.kubectl("get", "ec", "edge")).code).toBe(1);

  const good = await site.apply(config("edge", "edge", items(3)));
  expect([good.code, good.stderr, good.stdout]).toEqual([0, "", "envoyconfig.marin3r.3scale.net/edge created\n"]);
  const worse = await site.apply(config("edge", "edge", [CLUSTER]));
  expect(worse.stderr).toContain("denied the request");
  const { metadata, ...rest } = config("ignored", "generated", items(3));
  await site.create({ ...rest, metadata: { generateName: `${metadata.name}-` } });
  const again = site.create({ ...rest, metadata: { generateName: "x-" } });
  await expect(again).rejects.toThrow(/is taken by EnvoyConfig .*ignored-/);
});

clusterTest("W21: what is legal and likely wrong is shown as a warning by kubectl, and stored", async () => {
  await using site = await WebhookSite.make();
  await site.open();
  const unused = { type: "cluster", value: { name: "alone", connect_timeout: "1s" } };
  const { code, stderr } = await site.apply(config("edge", "edge", [...items(3), unused]));
  expect(code).toBe(0);
  expect(stderr).toBe(
    'Warning: spec.resources[3]: cluster "alone" is not used: no route, filter or other cluster names it\n',
  );
  // More than an API server lets through.
  const many = Array.from({ length: 200 }, (_, i) => ({ type: "cluster", value: { name: `${"x".repeat(60)}${i}` } }));
  const told = (await site.apply(config("edge", "edge", many))).stderr.trimEnd().split("\n");
  expect(told.at(-1)).toMatch(/^Warning: and \d+ more; "chancery validate" tells them all$/);
  expect(told.length).toBeGreaterThan(20);
});

clusterTest(
  "a VirtualService that cannot be served is refused in one sentence, and kubectl shows what is likely wrong",
  async () => {
    await using site = await WebhookSite.make();
    const endpoint = { name: "e", host: { address: "300.0.0.1" }, port: 1 };
    const virtualService = (endpoints: readonly object[], more: object = {}) => {
      const cluster = { name: "c", service_discovery: "strictdns", hash_key: "", endpoints, ...more };
      return {
        apiVersion: "servicemesh.l7mp.io/v1",
        kind: "VirtualService",
        metadata: { name: "media" },
        spec: { selector: { app: "worker" }, listeners: [{ name: "l", udp: { port: 2000, cluster } }] },
      };
    };
    expect((await site.apply(virtualService([endpoint]))).code).toBe(0); // nobody asks yet
    await site.open();
    const label = await site.kubectl("label", "mvs", "media", "team=a");
    expect([label.code, label.stderr]).toEqual([0, ""]);
    const none = { name: "none", port: 2 };
    const refused = await site.apply(virtualService([endpoint, none]));
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain(
      'admission webhook "virtualservice.servicemesh.l7mp.io-v1" denied the request: Cannot serve the VirtualService: ' +
        "spec.listeners[0].udp.cluster.endpoints[1]: selector or address must be set in host",
    );
    // It had the other mistake before, and may be repaired in steps.
    const quick = await site.apply(virtualService([endpoint], { health_check: { interval: 100, protocol: "TCP" } }));
    expect(quick.code).toBe(0);
    expect(quick.stderr.trimEnd().split("\n")).toEqual([
      "with an empty hash_key each session goes to an endpoint at random; leave it out or give a key",
      "health checks every 100 ms are more often than the usual 500 ms",
      "must be an IP address or a DNS name",
      "health checks go to TCP port 1, since health_check_port is not set",
    ].map((message, index) => `Warning: ${PATHS[index]}: ${message}`));
  },
);

const CLUSTER_PATH = "spec.listeners[0].udp.cluster";
const PATHS = ["hash_key", "health_check.interval", "endpoints[0].host.address", "endpoints[0]"]
  .map((field) => `${CLUSTER_PATH}.${field}`);

clusterTest(
  "W31: an object that was bad before stays usable: labels, finalizers, status, deletion; its spec is checked when it changes",
  async () => {
    await using site = await WebhookSite.make();
    const old = config("old", "old", [CLUSTER]);
    expect((await site.apply(old)).code).toBe(0);
    await site.open();
    const before = await site.webhook.reviews();
    expect(await site.kubectl("label", "ec", "old", "team=a")).toMatchObject({ code: 0, stderr: "" });
    const finalizers = (names: string[]) => JSON.stringify({ metadata: { finalizers: names } });
    const patch = (text: string) => site.kubectl("patch", "ec", "old", "--type=merge", "-p", text);
    expect((await patch(finalizers(["chancery.test/hold"]))).code).toBe(0);
    const status = await site.kubectl(
      ...["patch", "ec", "old", "--subresource=status", "--type=merge", "-p", '{"status":{"cacheState":"InSync"}}'],
    );
    expect(status.code).toBe(0);
    expect((await patch('{"spec":{"nodeID":"other"}}')).stderr).toContain("denied the request");
    expect((await site.kubectl("delete", "ec", "old", "--wait=false")).code).toBe(0);
    expect((await patch(finalizers([]))).code).toBe(0);
    expect((await site.kubectl("get", "ec", "old")).stderr).toContain("not found");
    // None of this was even asked about, but for the change of the spec.
    expect(await site.webhook.reviews() - before).toBe(1);
  },
);

clusterTest("W3: a node id that is taken is refused, naming who has it, until it is free", async () => {
  await using site = await WebhookSite.make();
  await site.open();
  expect((await site.apply(config("first", "edge", []))).code).toBe(0);
  await site.webhook.wait(
    "the webhook knows of it",
    async () => (await site.apply(config("second", "edge", []), "--dry-run=server")).code === 1,
  );
  const { stderr } = await site.apply(config("second", "edge", []));
  const message = `spec.nodeID: node id "edge" is taken by EnvoyConfig "${site.namespace}/first", ` +
    "and Envoys get the configuration of the older one only";
  expect(stderr).toContain(refusal([message]));
  expect((await site.apply(config("first", "edge", items(3)))).code).toBe(0);
  // Renamed: whoever deletes and applies at once is not refused because of a moment.
  expect((await site.kubectl("delete", "ec", "first")).code).toBe(0);
  expect(await site.apply(config("second", "edge", []))).toMatchObject({ code: 0, stderr: "" });
});

clusterTest("a webhook that is gone holds up changes of specs only, and says so", async () => {
  await using site = await WebhookSite.make();
  await site.open();
  expect((await site.apply(config("edge", "edge", items(3)))).code).toBe(0);
  site.webhook.process.signal("SIGKILL");
  await site.webhook.wait("the webhook to be gone", () => site.webhook.process.ended);
  const changed = await site.apply(config("edge", "edge", items(6)));
  expect(changed.code).toBe(1);
  expect(changed.stderr).toContain(`failed calling webhook "${ENTRY}"`);
  expect((await site.kubectl("label", "ec", "edge", "a=b")).code).toBe(0);
  expect((await site.kubectl("create", "configmap", "other")).code).toBe(0);
  expect((await site.kubectl("delete", "ec", "edge")).code).toBe(0);
  await site.webhook.start();
  expect((await site.apply(config("edge", "edge", items(6)))).code).toBe(0);
});

clusterTest("the certificate is rotated while EnvoyConfigs are created, and none fails", async () => {
  await using site = await WebhookSite.make();
  await site.open();
  let stop = false;
  let created = 0;
  const load = Array.from({ length: 4 }, async (_, worker) => {
    for (let i = 0; !stop; i++, created++) {
      await site.create(config(`edge-${worker}-${i}`, `edge-${worker}-${i}`, items(3)), "?dryRun=All");
    }
  });
  for (let round = 2; round <= 3; round++) {
    await site.webhook.certify();
    await site.webhook.wait(
      "the certificate to be reloaded",
      () =>
        site.webhook.process.lines.some((line) => line.includes("reloaded") && line.includes(`CN=webhook-${round}`)),
    );
    const before = created;
    await site.webhook.wait("requests to go on", () => created > before + 20);
  }
  stop = true;
  await Promise.all(load);
  expect(await site.webhook.reviews('result="failed"')).toBe(0);
});

clusterTest("a webhook behind a Service is reached by its name, and a rolling restart loses no request", async () => {
  await using site = await WebhookSite.make();
  await site.cluster.apply([{
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "webhook", namespace: site.namespace },
    spec: { ports: [{ port: 443, targetPort: 9443 }] },
  }]);
  await site.cluster.route(`${site.namespace}/webhook`, 443, `127.0.0.1:${site.webhook.port}`);
  await site.open({ service: { name: "webhook", namespace: site.namespace } }, "--shutdown-delay", "1s");
  expect((await site.apply(config("edge", "edge", [CLUSTER]))).stderr).toContain("denied the request");
  let stop = false;
  let created = 0;
  const load = Array.from({ length: 4 }, async (_, worker) => {
    for (let i = 0; !stop; i++, created++) {
      await site.create(config(`edge-${worker}-${i}`, `edge-${worker}-${i}`, items(3)), "?dryRun=All");
    }
  });
  await using next = await site.replica();
  await next.start();
  const ending = site.webhook.process.stop();
  await site.cluster.route(`${site.namespace}/webhook`, 443, `127.0.0.1:${next.port}`);
  expect((await ending).code).toBe(0);
  await next.wait("the other to be asked", async () => await next.reviews('result="allowed"') > 20);
  stop = true;
  await Promise.all(load);
  expect(created).toBeGreaterThan(20);
});

clusterTest(
  "an EnvoyConfig of 1,000 items is reviewed well within the time, and its metadata are changed without a review",
  async () => {
    await using site = await WebhookSite.make();
    await site.open();
    const object = config("large", "large", items(1_000));
    const start = performance.now();
    await site.create(object);
    expect(performance.now() - start).toBeLessThan(5_000);
    const before = await site.webhook.reviews();
    expect((await site.kubectl("label", "ec", "large", "a=b")).code).toBe(0);
    expect(await site.webhook.reviews() - before).toBe(0);
    const patch = '[{"op":"replace","path":"/spec/resources/999/value/nme","value":"x"}]'.replace("replace", "add");
    const { stderr } = await site.kubectl("patch", "ec", "large", "--type=json", "-p", patch);
    expect(stderr).toContain("spec.resources[999].value.nme: ");
  },
);

clusterTest("a webhook without rights is alive, not ready, and says what it may not do", async () => {
  await using site = await WebhookSite.make();
  const namespace = await site.cluster.namespace("webhook");
  const kubeconfig = await site.cluster.serviceAccount(namespace, "nobody", []);
  await using powerless = await WebhookProcess.make({ kubeconfig, namespace });
  powerless.launch();
  const told = await powerless.wait("the reason", async () => {
    const { status, body } = await powerless.probe("/readyz");
    return status === 503 && body.includes("is forbidden") && body;
  });
  expect(told).toContain('User "system:serviceaccount:');
  expect((await powerless.probe("/healthz")).status).toBe(200);
});
