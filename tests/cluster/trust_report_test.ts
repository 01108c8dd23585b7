import { expect } from "expect";
import { systemClock } from "../../src/base/mod.ts";
import { bundleName } from "../../src/pki/mod.ts";
import { readCertificates } from "../../src/pki/crypto/mod.ts";
import { connect } from "../../src/store/kubernetes/mod.ts";
import { ReplicaReports, TRUST_BUNDLE_ANNOTATION } from "../../src/store/kubernetes/lease/mod.ts";
import { type Authority, createAuthority } from "../certificates.ts";
import { clusterTest } from "./control_plane/mod.ts";
import { openSite } from "./discovery_service/site.ts";

function fingerprints(...authorities: readonly Pick<Authority, "cert">[]): readonly string[] {
  const text = authorities.map(({ cert }) => cert).join("");
  return readCertificates(new TextEncoder().encode(text))!.map(({ fingerprint }) => fingerprint);
}

clusterTest(
  "A3: each replica tells by its Lease which authorities it serves with, as soon as its files change",
  async () => {
    await using site = await openSite();
    const [first, second] = [site.replica("xds-0"), site.replica("xds-1")];
    await Promise.all([first.start(), second.start()]);
    await using connection = await connect({
      kubeconfig: site.cluster.kubeconfig,
      env: () => undefined,
      clock: systemClock,
    });
    const reports = new ReplicaReports({
      ...{ connection, clock: systemClock, timeoutMs: 5_000, forgetAfterMs: 30_000 },
      selector: "chancery.dev/role=discovery-service",
    });
    const told = async () => {
      const replicas = await reports.of(site.namespace);
      return replicas.map(({ name, annotations }) => [name, annotations[TRUST_BUNDLE_ANNOTATION]]);
    };
    const both = (bundle: string) => [["xds-0", bundle], ["xds-1", bundle]];
    const is = async (wanted: unknown) => JSON.stringify(await told()) === JSON.stringify(wanted);
    await first.wait("both to tell", () => is(both(bundleName(fingerprints(site.authority)))));

    const next = await createAuthority("Next CA");
    const trusted = [...fingerprints(next, site.authority)];
    await site.authorities(next, site.authority);
    await first.wait("both to tell of both", () => is(both(bundleName(trusted))));
    await second.wait("the other replica to know", async () => {
      const { cluster } = await second.status();
      const one = cluster?.replicas.find(({ name }) => name === "xds-0");
      return JSON.stringify(one?.trusts) === JSON.stringify([...trusted].sort());
    });

    await site.authorities({ cert: "nothing that could be used" }); // what is served with stays, and so does the word
    await first.wait("the complaint", async () => (await first.status()).findings.length > 0);
    expect(await is(both(bundleName(trusted)))).toBe(true);

    await second.stop();
    expect((await told()).map(([name]) => name)).toEqual(["xds-0"]);
    await first.stop();
  },
);
