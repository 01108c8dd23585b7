import { createAuthority } from "../../certificates.ts";
import type { Ports } from "./component.ts";
import { kubeconfigOf } from "./kubeconfig.ts";

/** Name of the API server's own Service, the first address of the range. */
const KUBERNETES_SERVICE_IP = "10.0.0.1";
const DAY_MS = 86_400_000;

/**
 * Fills a control plane's folder: `ca.crt`, the API server's certificate, the key pair for tokens of service accounts, `kubeconfig` of
 * an administrator (also as `admin.crt` and `admin.key`), `egress.yaml` and `audit.yaml`.
 */
export async function prepareDirectory(directory: string, ports: Ports): Promise<void> {
  const authority = await createAuthority("control plane of a test");
  const notAfter = new Date(Date.now() + DAY_MS);
  const server = await authority.issue({
    commonName: "kube-apiserver",
    dns: [
      "localhost",
      "kubernetes",
      "kubernetes.default",
      "kubernetes.default.svc",
      "kubernetes.default.svc.cluster.local",
    ],
    ips: ["127.0.0.1", KUBERNETES_SERVICE_IP],
    notAfter,
  });
  const admin = await authority.issue({ commonName: "admin", organization: "system:masters", notAfter });
  const tokens = await createTokenKeys();
  const files: Record<string, string> = {
    "ca.crt": authority.cert,
    "apiserver.crt": server.cert,
    "apiserver.key": server.key,
    "admin.crt": admin.cert,
    "admin.key": admin.key,
    "service-account.pub": tokens.publicKey,
    "service-account.key": tokens.privateKey,
    "kubeconfig": kubeconfigOf(`https://127.0.0.1:${ports.api}`, authority.cert, {
      "client-certificate-data": btoa(admin.cert),
      "client-key-data": btoa(admin.key),
    }),
    "egress.yaml": JSON.stringify(egressOf(directory)),
    "audit.yaml": JSON.stringify(AUDIT_POLICY),
  };
  for (const [name, text] of Object.entries(files)) {
    await Deno.writeTextFile(`${directory}/${name}`, text, { mode: 0o600 });
  }
}

/** What goes from the API server into the cluster (webhooks above all) goes through our proxy, which knows where Services are. */
function egressOf(directory: string) {
  const connection = { proxyProtocol: "HTTPConnect", transport: { uds: { udsName: `${directory}/egress.sock` } } };
  return {
    apiVersion: "apiserver.k8s.io/v1beta1",
    kind: "EgressSelectorConfiguration",
    egressSelections: [{ name: "cluster", connection }],
  };
}

const WRITES = ["create", "update", "patch", "delete", "deletecollection"];

/**
 * Every change of our own kinds with its content; of Events, Leases, Secrets and changes of what an operator makes only who did what;
 * nothing else.
 */
const AUDIT_POLICY = {
  apiVersion: "audit.k8s.io/v1",
  kind: "Policy",
  omitStages: ["RequestReceived"],
  rules: [
    {
      level: "Request",
      verbs: WRITES,
      resources: ["marin3r.3scale.net", "operator.marin3r.3scale.net", "servicemesh.l7mp.io"].map((group) => ({
        group,
      })),
    },
    {
      level: "Metadata",
      resources: [
        { group: "", resources: ["events", "secrets"] },
        { group: "events.k8s.io" },
        { group: "coordination.k8s.io" },
        { group: "discovery.k8s.io" },
      ],
      userGroups: ["system:serviceaccounts"],
    },
    {
      level: "Metadata",
      verbs: WRITES,
      resources: [
        { group: "", resources: ["configmaps", "services", "serviceaccounts"] },
        ...["apps", "autoscaling", "policy", "rbac.authorization.k8s.io"].map((group) => ({ group })),
      ],
      userGroups: ["system:serviceaccounts"],
    },
    { level: "None" },
  ],
};

async function createTokenKeys(): Promise<{ publicKey: string; privateKey: string }> {
  const keys = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, ["sign", "verify"]);
  const pem = async (format: "spki" | "pkcs8", key: CryptoKey, label: string) =>
    `-----BEGIN ${label}-----\n${
      new Uint8Array(await crypto.subtle.exportKey(format, key)).toBase64()
    }\n-----END ${label}-----\n`;
  return {
    publicKey: await pem("spki", keys.publicKey, "PUBLIC KEY"),
    privateKey: await pem("pkcs8", keys.privateKey, "PRIVATE KEY"),
  };
}
