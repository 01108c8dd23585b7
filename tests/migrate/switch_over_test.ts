import { createPublicKey, X509Certificate } from "node:crypto";
import { expect } from "expect";
import { OPERATOR_ANNOTATIONS } from "../../src/api/operator/mod.ts";
import { installedObjects, installOptions } from "../../src/install/mod.ts";
import { EARLIER_KINDS, type Remark } from "../../src/migrate/mod.ts";
import { Load, type LoadReport, staticCluster } from "../envoy/harness/mod.ts";
import { nodeTest } from "../cluster/node/mod.ts";
import type { PodObject } from "../cluster/node/scene.ts";
import type { TestObject } from "../cluster/operator/ground.ts";
import { ensuring } from "./ensuring.ts";
import { OLDER_CRDS, OLDER_IMAGE, OLDER_PODS, OLDER_PROGRAMS, OLDER_WEBHOOKS, SYSTEM } from "./older_manifests.ts";
import { answering, OlderSite, PORTS, SHOP } from "./older_site.ts";

const KINDS = "marin3r.3scale.net/v1alpha1";
const OPERATOR_KINDS = "operator.marin3r.3scale.net/v1alpha1";
const CONFIGS = `${KINDS}/envoyconfigs`;
const REVISIONS = `${KINDS}/envoyconfigrevisions`;
const SERVERS = "app.kubernetes.io/component=discovery-service";
const ENVOYS = "app.kubernetes.io/component=envoy-deployment";
const LOOK_MS = 50;
const BINDING = "rbac.authorization.k8s.io/v1/rolebindings/marin3r-ds";
const LATE_CA = "/api/v1/namespaces/late/secrets/marin3r-ca-cert-late";
const SPKI = { format: "pem", type: "spki" } as const;

/** What chancery migrate says. */
async function remarks(site: OlderSite, ...options: string[]): Promise<readonly Remark[]> {
  const { code, out, err } = await site.type(`chancery migrate --check -o json ${options.join(" ")}`);
  expect([code <= 1, err]).toEqual([true, ""]);
  return (JSON.parse(out) as { remarks: Remark[] }).remarks;
}

/** Types what has to be typed first, and finds that nothing is left of it. */
async function doFirst(site: OlderSite, ...options: string[]): Promise<string[]> {
  const first = (await remarks(site, ...options)).filter(({ weight }) => weight === "first");
  for (const { next } of first) {
    const { code, err } = await site.type(next!); // each of these has one
    if (code !== 0) throw new Error(`Cannot type ${next}: ${err}`);
  }
  expect((await remarks(site, ...options)).filter(({ weight }) => weight === "first")).toEqual([]);
  return first.map(({ object }) => object!); // as above
}

/** Sends requests to a pod until it is told to end, or to stop. */
async function serveAsLongAsItLives(site: OlderSite, { metadata, status }: PodObject): Promise<LoadReport> {
  const load = new Load({ target: { hostname: status.podIP!, port: PORTS.front }, keepAlive: 1, fresh: 1 });
  for (;;) {
    const pod = await site.scene.pod(metadata.name).catch(() => undefined);
    if (!pod || "deletionTimestamp" in pod.metadata) return await load.stop();
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

function expectNoFailure(...reports: readonly LoadReport[]): void {
  expect(reports.map(({ failed, failures }) => [failed, failures])).toEqual(reports.map(() => [0, []]));
  expect(Math.min(...reports.map(({ requests }) => requests))).toBeGreaterThan(50);
}

/** What users wrote and what nobody else may change. */
function written(objects: ReadonlyMap<string, TestObject>): object[] {
  return [...objects.values()].map(({ metadata, spec }) => {
    const { managedFields: _, resourceVersion: __, ...rest } = metadata as TestObject["metadata"] & {
      managedFields: object;
    };
    return { metadata: rest, spec };
  });
}

async function bodyOf({ status }: PodObject, port: number): Promise<string> {
  return await (await fetch(`http://${status.podIP}:${port}/`)).text();
}

nodeTest("MARIN3R is replaced while its Envoys serve, and comes back while ours do", async (t) => {
  await using site = await OlderSite.open();
  const { scene } = site;
  const before = {
    configs: await site.objects(CONFIGS),
    revisions: await site.objects(REVISIONS),
    secrets: await site.objects("secrets"),
  };
  const [app] = await site.pods("app=app", 1);
  const [front] = await site.pods(ENVOYS, 1);
  expect(await bodyOf(front!, PORTS.front)).toBe("as in MARIN3R");
  const sidecar = new Load({ target: { hostname: app!.status.podIP!, port: PORTS.sidecar }, keepAlive: 1, fresh: 1 });
  await using _loads = sidecar;
  const envoys = serveAsLongAsItLives(site, front!);

  await t.step("whoever applies our webhook configuration leaves a webhook of MARIN3R's in it", async () => {
    const ours = installedObjects(installOptions()).webhookConfigurations
      .find(({ kind }) => kind === "ValidatingWebhookConfiguration")!; // there is one
    const place = `/apis/${ours.apiVersion}/validatingwebhookconfigurations/${ours.metadata.name}`;
    const query = "dryRun=All&fieldManager=chancery-install&force=true";
    const { webhooks } = await site.cluster.request(
      "PATCH",
      `${place}?${query}`,
      ours,
      "application/apply-patch+yaml",
    ) as {
      webhooks: { name: string }[];
    };
    expect(webhooks.map(({ name }) => name)).toContain("envoydeployment.operator.marin3r.3scale.net");
  });

  await t.step("nothing is installed before what has to be done first is done", async () => {
    const refused = await site.type("chancery install --image chancery:1");
    expect([refused.code, refused.out]).toEqual([1, ""]);
    expect(await doFirst(site)).toEqual([
      `deployment.apps/${SYSTEM}/marin3r-controller-manager`,
      "mutatingwebhookconfiguration.admissionregistration.k8s.io/marin3r-mutating-webhook-configuration",
      "validatingwebhookconfiguration.admissionregistration.k8s.io/marin3r-validating-webhook-configuration",
      "validatingwebhookconfiguration.admissionregistration.k8s.io/marin3r-validating-webhook-configuration",
    ]);
  });

  await t.step("chancery install takes everything over", async () => {
    const { code, err } = await site.type("chancery install --image chancery:1 --timeout 90s");
    expect([code, err]).toEqual([0, ""]);
    await site.pods(SERVERS, 2);
    await site.ground.reason("discoveryservices/ds", "Ready", "AllReplicasReady", 60_000);
    await site.ground.reason("envoydeployments/front", "Ready", "AllReplicasReady", 60_000);
    expectNoFailure(await envoys);
  });

  await t.step("what is left of MARIN3R is removed by name", async () => {
    const left = (await remarks(site)).filter(({ object }) => object?.includes("marin3r-controller-"));
    expect(left.map(({ weight }) => weight)).toEqual(["changes", "changes"]);
    for (const { next } of left) expect((await site.type(next!)).code).toBe(0);
    const { code, err } = await site.type(
      `kubectl -n ${SHOP} label envoydeployments.operator.marin3r.3scale.net front a=b`,
    );
    expect([code, err]).toEqual([0, ""]); // nobody is asked who is gone
  });

  await t.step(
    "no object of a user is changed, no revision is lost, and there is at most one more of each",
    async () => {
      expect(written(await site.objects(CONFIGS))).toEqual(written(before.configs));
      const { edge, app } = Object.fromEntries(await site.objects(CONFIGS));
      expect(edge?.status).toMatchObject({ cacheState: "InSync" });
      expect(app?.status).toMatchObject({ cacheState: "Rollback", publishedVersion: "76bc4f9d5" });
      const revisions = await site.objects(REVISIONS);
      const uids = [...revisions.values()].map(({ metadata: { uid } }) => uid);
      for (const { metadata } of before.revisions.values()) expect(uids).toContain(metadata.uid);
      const more = [...revisions.keys()].filter((name) => !before.revisions.has(name)).map((name) =>
        name.split("-")[0]
      );
      expect(more.sort()).toEqual(["app", "edge"]);
      await site.until(
        "MARIN3R's finalizer to be gone",
        async () => [...(await site.objects(REVISIONS)).values()].every(({ metadata }) => !("finalizers" in metadata)),
      );
    },
  );

  await t.step("certificates stay, but that of the server, which lacked the name that is dialled", async () => {
    const secrets = await site.objects("secrets");
    const same = [...before.secrets].map((
      [name, { data }],
    ) => [name, secrets.get(name)?.data?.["tls.crt"] === data?.["tls.crt"]]);
    expect(Object.fromEntries(same)).toEqual({
      "envoy-client-cert-front": true,
      "envoy-sidecar-client-cert": true,
      "marin3r-ca-cert-ds": true,
      "marin3r-server-cert-ds": false,
    });
    expect(secrets.get("marin3r-ca-cert-ds")?.data?.["tls.key"]).toBe(
      before.secrets.get("marin3r-ca-cert-ds")?.data?.["tls.key"],
    );
  });

  let ours: PodObject;
  await t.step("a pod that is made anew has a sidecar of today", async () => {
    expectNoFailure(await sidecar.stop());
    await site.cluster.request("DELETE", scene.path("pods/app?gracePeriodSeconds=1"));
    [ours] = await site.pods("app=app", 1, ({ metadata }) => metadata.name !== "app") as [PodObject];
    expect(JSON.stringify(ours.spec)).toContain("--ca-certificate-file");
    expect(await bodyOf(ours, PORTS.sidecar)).toContain('"path":"/"');
  });

  // And back, with a CA that MARIN3R has never had.
  await site.type("kubectl create namespace late");
  await site.cluster.apply([{
    ...{ apiVersion: OPERATOR_KINDS, kind: "DiscoveryService", metadata: { name: "late", namespace: "late" } },
    spec: { replicas: 0 },
  }]);
  const authority = () =>
    site.cluster.request("GET", LATE_CA).catch(() => undefined) as Promise<TestObject | undefined>;
  const shown = await site.until("a CA without its key", async () => {
    const secret = await authority();
    return secret?.metadata.annotations?.[OPERATOR_ANNOTATIONS.keyIn] !== undefined && secret.data;
  });
  const load = new Load({ target: { hostname: ours!.status.podIP!, port: PORTS.sidecar }, keepAlive: 1, fresh: 1 });
  await using _load = load;
  const [present] = await site.pods(ENVOYS, 1);
  const later = serveAsLongAsItLives(site, present!);
  const kept = { configs: await site.objects(CONFIGS), revisions: await site.objects(REVISIONS) };

  await t.step("chancery migrate --back tells what MARIN3R would stumble over, and it does", async () => {
    const binding = await scene.get<Record<string, unknown>>(BINDING);
    const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "marin3r-ds" };
    await expect(site.cluster.request("PUT", `${scene.path(BINDING)}?dryRun=All`, { ...binding, roleRef }))
      .rejects.toThrow("roleRef");
    const pods = `/api/v1/namespaces/${SYSTEM}/pods?dryRun=All`;
    for (const pod of OLDER_PODS) {
      await expect(site.cluster.request("POST", pods, pod)).rejects.toThrow("violates PodSecurity");
    }
    expect(shown["tls.key"]).toBe("");
    expect(await doFirst(site, "--back")).toEqual([
      `deployment.apps/${SYSTEM}/chancery-operator`,
      "discoveryservicecertificate.operator.marin3r.3scale.net/late/marin3r-ca-cert-late",
      "rolebinding.rbac.authorization.k8s.io/late/marin3r-late",
      `rolebinding.rbac.authorization.k8s.io/${SHOP}/marin3r-ds`,
      `namespace/${SYSTEM}`,
    ]);
    const names = (await site.type(`kubectl -n ${SYSTEM} get deploy,sa,role,rolebinding,svc,pdb -o name`)).out;
    expect(names).not.toContain("chancery");
    const again = (await remarks(site, "--back")).filter(({ message }) => message.includes("sidecars"));
    expect(again.map(({ next }) => next)).toEqual([`kubectl -n ${SHOP} delete pod ${ours.metadata.name}`]);
    for (const pod of OLDER_PODS) await site.cluster.request("POST", pods, pod);
  });

  await t.step("a CA has its key again", async () => {
    const { "tls.crt": certificate = "", "tls.key": key = "" } = (await authority())!.data!;
    expect(certificate).toBe(shown["tls.crt"]);
    expect(publicKeyOf(atob(key))).toEqual(new X509Certificate(atob(certificate)).publicKey.export(SPKI));
  });

  await t.step("MARIN3R's manifests are applied, and its operator finds what it expects", async () => {
    await site.applyManifests([...OLDER_CRDS, ...OLDER_PROGRAMS]);
    const probe = {
      apiVersion: KINDS,
      kind: "EnvoyConfig",
      metadata: { name: "probe" },
      spec: { nodeID: "a", rollback: {} },
    };
    const place = `${scene.path(CONFIGS)}?dryRun=All&fieldValidation=Strict`;
    await site.until(
      "the API server to serve MARIN3R's kinds",
      async () => /unknown field/.test(await site.cluster.request("POST", place, probe).then(() => "", String)),
    );
    await site.operate(ensuring(site.ground));
    const lease = `/apis/coordination.k8s.io/v1/namespaces/${SYSTEM}/leases/2cfbe7d6.operator.marin3r.3scale.net`;
    await site.until("MARIN3R's operator to lead", async () => {
      const { spec } = await site.cluster.request("GET", lease) as { spec: { holderIdentity?: string } };
      return spec.holderIdentity?.startsWith("marin3r-controller-manager-");
    });
    const isOlder = (pod: PodObject) => JSON.stringify(pod.spec).includes(OLDER_IMAGE);
    await site.pods(SERVERS, 1, isOlder);
    await site.pods(ENVOYS, 1, isOlder);
    expectNoFailure(await later);
  });

  await t.step("MARIN3R's CRDs take every object that is left, as a new one", async () => {
    for (const { apiVersion, kind } of Object.values(EARLIER_KINDS)) {
      const plural = `${apiVersion}/${kind.toLowerCase()}s`;
      const objects = [...(await site.objects(plural)).values()];
      expect(objects.length).toBeGreaterThan(0);
      for (const { metadata: { labels = {} }, spec = {} } of objects) {
        const copy = { apiVersion, kind, metadata: { name: "copy", labels }, spec };
        await site.cluster.request("POST", `${scene.path(plural)}?dryRun=All&fieldValidation=Strict`, copy);
      }
    }
    await site.applyManifests(OLDER_WEBHOOKS);
  });

  await t.step("its discovery service serves both kinds of Envoys, and everything is there", async () => {
    const publishedAt = new Date().toISOString();
    await site.publish("edge", {
      version: "4c5d6f7b8",
      resources: [answering("MARIN3R again", PORTS.front)],
      publishedAt,
    });
    const sidecar = [answering("a sidecar of Chancery", PORTS.sidecar), staticCluster("app", [8080])];
    await site.publish("app", { version: "8b7f6d5c4", resources: sidecar, publishedAt });
    const [front] = await site.pods(ENVOYS, 1);
    await site.until(
      "the Envoy of MARIN3R to have it",
      async () => await bodyOf(front!, PORTS.front) === "MARIN3R again",
    );
    await site.until(
      "the sidecar to have it",
      async () => await bodyOf(ours, PORTS.sidecar) === "a sidecar of Chancery",
    );
    expectNoFailure(await load.stop());
    expect(written(await site.objects(CONFIGS))).toEqual(written(kept.configs));
    const uids = [...(await site.objects(REVISIONS)).values()].map(({ metadata: { uid } }) => uid);
    for (const { metadata } of [...before.revisions.values(), ...kept.revisions.values()]) {
      expect(uids).toContain(metadata.uid);
    }
  });
});

/** A public key as text, of a private one. */
function publicKeyOf(pem: string): string {
  return createPublicKey(pem).export(SPKI) as string; // PEM
}
