import { expect } from "expect";
import { runCaptured } from "../../../src/cli/fake_terminal.ts";
import type { CertItem, CertsReport } from "../../../src/cli/certs/report.ts";
import { eventually } from "../../envoy/harness/mod.ts";
import type { ControlPlane } from "../control_plane/mod.ts";
import { config } from "../webhook/webhook_site.ts";

const DEADLINE_MS = 60_000;

/**
 * What `chancery certs` shows of the certificates of a DiscoveryService "ds" in `namespace`, while its CA is changed, and of that of the
 * webhook in `installation`.
 */
export async function shownCertificates(
  cluster: ControlPlane,
  { namespace, installation }: { namespace: string; installation: string },
): Promise<void> {
  const certs = (...words: string[]) => runCaptured(["certs", "--kubeconfig", cluster.kubeconfig, ...words]);
  const until = async (what: string, holds: (items: ReadonlyMap<string, CertItem>) => boolean) => {
    let last: CertsReport | undefined;
    const shown = new Map<string, CertItem>();
    await eventually(async () => {
      last = JSON.parse((await certs("-n", namespace, "-o", "json")).out) as CertsReport;
      shown.clear();
      for (const item of last.items) shown.set(item.name, item);
      return holds(shown);
    }, { what, deadlineMs: DEADLINE_MS, explain: () => JSON.stringify(last) });
    return shown;
  };
  const prints = (links: CertItem["chain"]) => links?.map(({ fingerprint }) => fingerprint);

  const patch = '{"spec":{"clientAuthorization":"NodeID"}}';
  await cluster.kubectl(["patch", "-n", namespace, "discoveryservice", "ds", "--type=merge", "-p", patch]);
  await cluster.apply([{ ...config("web", "web", []), metadata: { name: "web", namespace } }]);
  const isReady = (item: CertItem | undefined) => item?.state === "Ready" && item.problems.length === 0;
  const shown = await until(
    "all certificates, and one of the node id",
    (items) => items.size >= 4 && [...items.values()].every(isReady) && [...items.values()].some((one) => one.nodeId),
  );
  const { chain, bundle, rotation } = shown.get("marin3r-ca-cert-ds")!;
  expect([prints(chain), rotation?.phase]).toEqual([[rotation?.current], "Stable"]);
  expect([bundle?.configMap, prints(bundle!.certificates)]).toEqual(["marin3r-ca-bundle-ds", [rotation?.current]]);
  for (const { fingerprint, chain, type, nodeId } of shown.values()) {
    if (type !== "CA") expect(prints(chain)).toEqual([fingerprint, rotation?.current]);
    expect([null, "web"]).toContain(nodeId);
  }
  const named = await certs("-n", namespace, "marin3r-server-cert-ds");
  expect(named.out).toMatch(
    /\n {2}chain: {2}\w{16} {2}marin3r-server-ds .*\n {10}\w{16} {2}marin3r-ca-ds .*, in 2y/,
  );

  expect((await certs("rotate", "-n", namespace, "marin3r-ca-cert-ds")).status).toBe(0);
  const told = await until("two CAs to be told", (items) => {
    const ca = items.get("marin3r-ca-cert-ds")!;
    return ca.rotation?.phase !== "Stable" && ca.bundle?.certificates.length === 2;
  });
  expect(prints(told.get("marin3r-ca-cert-ds")!.bundle!.certificates)).toContain(rotation?.current);

  const webhook = JSON.parse((await certs("-n", installation, "-o", "json")).out) as CertsReport;
  expect(webhook.items).toMatchObject([{ name: "chancery-webhook-tls", state: "Ready", problems: [] }]);
  expect(webhook.items[0]!.chain).toHaveLength(2);
}
