import { expect } from "expect";
import { eventually } from "../../envoy/harness/mod.ts";
import { clusterTest } from "../control_plane/mod.ts";
import { openGround } from "./ground.ts";
import { writesIn } from "./writes.ts";

const KINDS = "operator.marin3r.3scale.net/v1alpha1";
const CERTIFICATES = 500;

clusterTest("O2: five hundred certificates are issued and settled in well under a minute", async () => {
  await using ground = await openGround();
  const { cluster, namespace } = ground;
  const certificate = (name: string, spec: object) => ({
    ...{ apiVersion: KINDS, kind: "DiscoveryServiceCertificate", metadata: { name, namespace } },
    spec: { commonName: name, validFor: 86_400, secretRef: { name }, ...spec },
  });
  const signer = { caSigned: { caSecretRef: { name: "ca", namespace } } };
  await cluster.apply([
    certificate("ca", { isCA: true, signer: { selfSigned: {} } }),
    ...Array.from({ length: CERTIFICATES }, (_, at) => certificate(`leaf-${at}`, { signer })),
  ]);
  const operator = ground.operator("cert-manager-1", { role: "cert-manager" });
  await operator.start({ wait: false });
  const began = performance.now();
  let ready = 0;
  await eventually(async () => {
    const { items } = await cluster.request("GET", ground.path("discoveryservicecertificates")) as {
      items: { status?: { ready?: boolean } }[];
    };
    ready = items.filter(({ status }) => status?.ready).length;
    return ready === CERTIFICATES + 1;
  }, { what: "all certificates to be ready", deadlineMs: 120_000, explain: () => `${ready} are` });
  const seconds = (performance.now() - began) / 1000;
  console.log(`${CERTIFICATES} certificates in ${seconds.toFixed(1)} s`);
  expect(seconds).toBeLessThan(60);
  // Two writes each, and a few about the CA.
  const writes = await writesIn(ground);
  expect(writes.length).toBeLessThan(CERTIFICATES * 2.2);
  await operator.stop();
});
