import { expect } from "expect";
import { AUTHORITY_LABEL } from "../../../src/api/mod.ts";
import { keySecretOf, OPERATOR_ANNOTATIONS } from "../../../src/api/operator/mod.ts";
import { eventually } from "../../envoy/harness/mod.ts";
import { clusterTest } from "../control_plane/mod.ts";
import { conditionOf, type Ground, openGround, type TestObject } from "./ground.ts";

const KINDS = "operator.marin3r.3scale.net/v1alpha1";
const CA = "marin3r-ca-cert-ds";
const CLIENT = "discoveryservicecertificates/client";
const DEADLINE_MS = 40_000;

/** What is in a Secret, as text. */
function textsIn({ data = {} }: TestObject): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(data).map(([name, text]) => [name, atob(text)]));
}

/** Whether `openssl` finds that a certificate is signed by what is to be trusted; what it says. */
async function verified(certificate: string, trusted: string): Promise<string> {
  const folder = await Deno.makeTempDir({ prefix: "chancery-" });
  try {
    await Deno.writeTextFile(`${folder}/ca`, trusted);
    await Deno.writeTextFile(`${folder}/leaf`, certificate);
    const args = ["verify", "-x509_strict", "-CAfile", `${folder}/ca`, `${folder}/leaf`];
    const { stdout, stderr } = await new Deno.Command("openssl", { args, stdin: "null" }).output();
    return new TextDecoder().decode(stdout).replace(/^.*: /, "").trim() || new TextDecoder().decode(stderr);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Another namespace that the operator looks after; gone with the scope. */
async function another({ cluster }: Ground, parts: AsyncDisposableStack): Promise<Ground> {
  const ground = await openGround({ cluster, namespace: await cluster.namespace("issuers") });
  parts.use(ground);
  return ground;
}

clusterTest(
  "S3, S8: CA keys lie where the operator is and go with their DiscoveryServices; a CA signs for the namespaces that it allows",
  async () => {
    await using home = await openGround();
    await using parts = new AsyncDisposableStack();
    const [mine, theirs] = [await another(home, parts), await another(home, parts)];
    const watch = `${mine.namespace},${theirs.namespace}`;
    const operator = home.operator("operator-1", { watch });
    await operator.start();
    for (const { apply } of [mine, theirs].map((ground) => ({ apply: ground.apply.bind(ground) }))) {
      await apply("DiscoveryService", "ds");
    }

    // The keys are apart: one for each namespace, none beside the CA.
    const keyOf = ({ namespace }: Ground) => `secrets/${keySecretOf({ namespace, name: CA })}`;
    for (const ground of [mine, theirs]) {
      await ground.reason("discoveryservices/ds", "Reconciled", "AsWanted", DEADLINE_MS);
      const key = await home.until(keyOf(ground), "there", () => true);
      const shown = await ground.until(`secrets/${CA}`, "shown", ({ data }) => data?.["ca.crt"] !== undefined);
      expect(textsIn(key)["tls.key"]).toContain("PRIVATE KEY");
      expect(key.metadata.labels).toMatchObject(AUTHORITY_LABEL);
      expect(textsIn(shown)).toEqual({
        ...{ "tls.crt": textsIn(key)["tls.crt"], "ca.crt": textsIn(key)["tls.crt"], "tls.key": "" },
      });
      const server = textsIn(await ground.until("secrets/marin3r-server-cert-ds", "there", () => true));
      expect(await verified(server["tls.crt"]!, textsIn(shown)["ca.crt"]!)).toBe("OK");
    }
    const keys = await Promise.all([mine, theirs].map(async (ground) => textsIn((await home.get(keyOf(ground)))!)));
    expect(keys[0]?.["tls.key"]).not.toBe(keys[1]?.["tls.key"]);

    // Whoever asks a CA of another namespace is told that it does not allow it, until it does (S8).
    await theirs.cluster.apply([{
      ...{ apiVersion: KINDS, kind: "DiscoveryServiceCertificate" },
      metadata: { name: "client", namespace: theirs.namespace },
      spec: {
        ...{ commonName: "client", validFor: 86_400, secretRef: { name: "client" } },
        signer: { caSigned: { caSecretRef: { name: CA, namespace: mine.namespace } } },
      },
    }]);
    const refused = await theirs.reason(CLIENT, "UpToDate", "IssuerNotAllowed", DEADLINE_MS);
    expect(conditionOf(refused, "UpToDate")?.message).toBe(
      `Secret "${mine.namespace}/${CA}" does not allow it: its annotation ${OPERATOR_ANNOTATIONS.allowIssuingTo} ` +
        `has to name "${theirs.namespace}"`,
    );
    expect(await theirs.get("secrets/client")).toBeUndefined();
    const { cluster, namespace } = theirs;
    await eventually(async () => {
      const { items } = await cluster.request("GET", `/api/v1/namespaces/${namespace}/events`) as {
        items: { reason: string; type: string; involvedObject: { name: string } }[];
      };
      return items.some(({ reason, type, involvedObject }) =>
        reason === "IssuerNotAllowed" && type === "Warning" && involvedObject.name === "client"
      );
    }, { what: "an Event about it", deadlineMs: DEADLINE_MS });
    const allow = (namespaces: string | null) =>
      mine.patch(`secrets/${CA}`, {
        metadata: { annotations: { [OPERATOR_ANNOTATIONS.allowIssuingTo]: namespaces } },
      });
    await allow(`elsewhere, ${theirs.namespace}`);
    await theirs.reason(CLIENT, "IssuerAllowed", "AllowedByAnnotation", DEADLINE_MS);
    await theirs.reason(CLIENT, "Ready", "CertificateUsable", DEADLINE_MS);
    const client = textsIn((await theirs.get("secrets/client"))!);
    expect(client["ca.crt"]).toBe(keys[0]?.["tls.crt"]);
    expect(await verified(client["tls.crt"]!, client["ca.crt"]!)).toBe("OK");

    // Who holds one goes on with a warning, and under strict rules with what there is.
    await allow(null);
    const warned = await theirs.reason(CLIENT, "IssuerAllowed", "NotAllowed", DEADLINE_MS);
    expect([conditionOf(warned, "UpToDate")?.reason, conditionOf(warned, "Ready")?.status]).toEqual([
      "AsWanted",
      "True",
    ]);
    await operator.stop();
    const strict = home.operator("operator-2", { watch, args: ["--cross-namespace-issuers=strict"] });
    await strict.start();
    const held = await theirs.reason(CLIENT, "UpToDate", "IssuerNotAllowed", DEADLINE_MS);
    expect(conditionOf(held, "Ready")?.status).toBe("True");
    expect(textsIn((await theirs.get("secrets/client"))!)["tls.crt"]).toBe(client["tls.crt"]);

    // Nobody is there to see a DiscoveryService go, and its key goes all the same; that of the other one stays.
    await strict.kill();
    await mine.remove("discoveryservices/ds");
    await strict.start();
    await home.gone(keyOf(mine));
    expect(textsIn((await home.get(keyOf(theirs)))!)["tls.key"]).toBe(keys[1]?.["tls.key"]);
    await strict.stop();
  },
);
