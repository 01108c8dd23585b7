/**
 * What MARIN3R's operator leaves in a namespace: objects that it wrote by updates as the manager `manager`, RSA certificates without
 * `ca.crt`, a Deployment that is recreated and carries the certificate's hash as a label of its pods.
 * @module
 */
import { alternativeNames, type WantedCertificate } from "../../../src/pki/mod.ts";
import { issueCertificate, type IssuedPair } from "../../../src/pki/crypto/mod.ts";
import type { Ground, TestObject } from "./ground.ts";

const KINDS = "operator.marin3r.3scale.net/v1alpha1";
export const RBAC = "rbac.authorization.k8s.io/v1";

/** The labels of everything that belongs to an object of the operator's kinds. */
export function olderLabels(component: "discovery-service" | "envoy-deployment", instance: string) {
  return {
    "app.kubernetes.io/name": "marin3r",
    "app.kubernetes.io/managed-by": "marin3r-operator",
    "app.kubernetes.io/component": component,
    "app.kubernetes.io/instance": instance,
  };
}

/** A namespace in which an older operator works. */
export interface OlderGround extends Pick<Ground, "namespace"> {
  readonly cluster: Pick<Ground["cluster"], "request">;
  path(path: string): string;
}

/** Writes an object as an older operator did: by an update of the manager `manager`, owned by another object. */
export async function left(ground: OlderGround, path: string, object: object, owner?: TestObject): Promise<TestObject> {
  const { metadata, ...content } = object as { metadata: object };
  const reference = owner &&
    { apiVersion: KINDS, kind: owner.kind, name: owner.metadata.name, uid: owner.metadata.uid, controller: true };
  const body = {
    ...content,
    metadata: {
      ...metadata,
      namespace: ground.namespace,
      ...(reference && { ownerReferences: [{ ...reference, blockOwnerDeletion: true }] }),
    },
  };
  return await ground.cluster.request("POST", `${ground.path(path)}?fieldManager=manager`, body) as TestObject;
}

/** A certificate as the older program issues them, signed by `issuer` or by its own key. */
export async function issueOlder(
  name: string,
  more: Partial<WantedCertificate> = {},
  issuer?: IssuedPair,
): Promise<IssuedPair> {
  const text = new TextEncoder();
  const wanted: WantedCertificate = {
    ...{ commonName: name, names: alternativeNames([name]), isCA: false, server: false, validFor: 172_800 },
    algorithm: "RSA-2048",
    ...more,
  };
  return await issueCertificate(wanted, {
    now: Date.now(),
    random: (count) => crypto.getRandomValues(new Uint8Array(count)),
    ...(issuer && { issuer: { certificate: text.encode(issuer.certificate), key: text.encode(issuer.key) } }),
  });
}

/** A certificate that was left. */
export interface OlderCertificate {
  readonly name: string;
  readonly pair: IssuedPair;
}

/** Leaves a certificate and its Secret. `ca` signs it; without one it is a CA itself. */
export async function leftCertificate(
  ground: OlderGround,
  { name, commonName = name, server = false, validFor, ca, owner, labels }: {
    name: string;
    commonName?: string;
    server?: boolean;
    validFor: number;
    ca: OlderCertificate | undefined;
    owner: TestObject;
    labels: object;
  },
): Promise<OlderCertificate> {
  const pair = await issueOlder(commonName, { isCA: !ca, server, validFor }, ca?.pair);
  const signer = ca
    ? { caSigned: { caSecretRef: { name: ca.name, namespace: ground.namespace } } }
    : { selfSigned: {} };
  const certificate = await left(ground, "discoveryservicecertificates", {
    ...{ apiVersion: KINDS, kind: "DiscoveryServiceCertificate", metadata: { name, labels } },
    spec: {
      ...{ commonName, validFor, signer, hosts: [commonName], secretRef: { name } },
      ...(ca ? { server } : { isCA: true }),
      certificateRenewal: { enabled: true },
    },
  }, owner);
  const data = { "tls.crt": btoa(pair.certificate), "tls.key": btoa(pair.key) };
  await left(
    ground,
    "secrets",
    { apiVersion: "v1", kind: "Secret", metadata: { name }, type: "kubernetes.io/tls", data },
    certificate,
  );
  return { name, pair };
}

/** What is left of a DiscoveryService "ds". */
export interface OlderService {
  readonly service: TestObject;
  readonly certificates: readonly [ca: OlderCertificate, server: OlderCertificate, client: OlderCertificate];
  readonly deployment: TestObject;
}

/** Leaves a DiscoveryService "ds" with all that belongs to it. `rules` are those of its Role. */
export async function leftDiscoveryService(ground: OlderGround, rules: readonly object[] = []): Promise<OlderService> {
  const labels = olderLabels("discovery-service", "ds");
  const service = await left(ground, "discoveryservices", {
    ...{ apiVersion: KINDS, kind: "DiscoveryService", metadata: { name: "ds" } },
  });
  const shared = { owner: service, labels };
  const ca = await leftCertificate(ground, {
    ...{ ...shared, name: "marin3r-ca-cert-ds", commonName: "marin3r-ca-ds", validFor: 94_608_000, ca: undefined },
  });
  const server = await leftCertificate(ground, {
    ...{ ...shared, name: "marin3r-server-cert-ds", commonName: "marin3r-server-ds", validFor: 7_776_000, ca },
    server: true,
  });
  const client = await leftCertificate(ground, { ...shared, name: "envoy-sidecar-client-cert", validFor: 172_800, ca });
  const metadata = { name: "marin3r-ds", labels };
  await left(ground, "serviceaccounts", { apiVersion: "v1", kind: "ServiceAccount", metadata }, service);
  await left(ground, `${RBAC}/roles`, { apiVersion: RBAC, kind: "Role", metadata, rules }, service);
  const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "marin3r-ds" };
  const subjects = [{ kind: "ServiceAccount", name: "marin3r-ds", namespace: ground.namespace }];
  await left(
    ground,
    `${RBAC}/rolebindings`,
    { apiVersion: RBAC, kind: "RoleBinding", metadata, roleRef, subjects },
    service,
  );
  const ports = [["discovery", 18000], ["metrics", 8383]].map(([name, port]) => ({ name, port, targetPort: name }));
  await left(
    ground,
    "services",
    { apiVersion: "v1", kind: "Service", metadata, spec: { type: "ClusterIP", ports, selector: labels } },
    service,
  );
  const deployment = await left(ground, "apps/v1/deployments", olderDeployment(ground.namespace), service);
  return { service, certificates: [ca, server, client], deployment };
}

function olderDeployment(namespace: string) {
  const labels = olderLabels("discovery-service", "ds");
  const volumes = ["server", "ca", "client"].map((one) => ({
    name: `${one}-cert`,
    secret: { secretName: one === "client" ? "envoy-sidecar-client-cert" : `marin3r-${one}-cert-ds` },
  }));
  const probe = (path: string) => ({ httpGet: { path, port: 8384 } });
  const container = {
    name: "marin3r",
    image: "example.com/marin3r:old",
    imagePullPolicy: "IfNotPresent",
    args: [
      ...["discovery-service", "--server-certificate-path=/etc/marin3r/tls/server"],
      ...["--ca-certificate-path=/etc/marin3r/tls/ca", "--client-certificate-path=/etc/marin3r/tls/client"],
      ...["--xdss-port=18000", "--metrics-bind-address=:8383", "--health-probe-bind-address=:8384"],
    ],
    ports: [{ name: "discovery", containerPort: 18000 }, { name: "metrics", containerPort: 8383 }],
    env: [
      { name: "WATCH_NAMESPACE", value: namespace },
      { name: "POD_NAME", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
    ],
    livenessProbe: probe("/healthz"),
    readinessProbe: probe("/readyz"),
    volumeMounts: volumes.map(({ name }) => ({
      name,
      mountPath: `/etc/marin3r/tls/${name.replace("-cert", "")}/`,
      readOnly: true,
    })),
  };
  const template = {
    metadata: { labels: { ...labels, "marin3r.3scale.net/server-certificate-hash": "oldhash" } },
    spec: { serviceAccountName: "marin3r-ds", volumes, containers: [container] },
  };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "marin3r-ds", labels },
    spec: { replicas: 1, strategy: { type: "Recreate" }, selector: { matchLabels: labels }, template },
  };
}

/** What is left of an EnvoyDeployment. */
export interface OlderEnvoys {
  readonly object: TestObject;
  readonly deployment: TestObject;
}

/** Leaves an EnvoyDeployment of the EnvoyConfig and node id "edge", with its Deployment of so many replicas. */
export async function leftEnvoyDeployment(
  ground: OlderGround,
  name: string,
  { spec, replicas, ca }: { spec: object; replicas: number; ca: OlderCertificate },
): Promise<OlderEnvoys> {
  const labels = olderLabels("envoy-deployment", name);
  const object = await left(ground, "envoydeployments", {
    ...{ apiVersion: KINDS, kind: "EnvoyDeployment", metadata: { name } },
    spec: { envoyConfigRef: "edge", discoveryServiceRef: "ds", ...spec },
  });
  const secret = `envoy-client-cert-${name}`;
  await leftCertificate(ground, { name: secret, validFor: 172_800, ca, owner: object, labels });
  const deployment = await left(ground, "apps/v1/deployments", {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: `marin3r-envoydeployment-${name}`, labels },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      strategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: "25%", maxSurge: "25%" } },
      template: { metadata: { labels }, spec: olderEnvoyPod(ground.namespace, { secret }) },
    },
  }, object);
  return { object, deployment };
}

/** The pod of an Envoy, be it one of an EnvoyDeployment or, by `container`, a sidecar; `port` is that of its listener. */
export function olderEnvoyPod(
  namespace: string,
  { secret, nodeId = "edge", container = "envoy", port = 8000 }: {
    secret: string;
    nodeId?: string;
    container?: "envoy" | "envoy-sidecar";
    port?: number;
  },
) {
  const field = (name: string, fieldPath: string) => ({
    name,
    valueFrom: { fieldRef: { apiVersion: "v1", fieldPath } },
  });
  const bootstrap = { name: `${container}-bootstrap`, mountPath: "/etc/envoy/bootstrap" };
  const probe = (numbers: object) => ({ httpGet: { path: "/ready", port: 9901, scheme: "HTTP" }, ...numbers });
  const hook = (path: string) => ({ preStop: { httpGet: { path, port: 8090, scheme: "HTTP" } } });
  return {
    serviceAccountName: "default",
    terminationGracePeriodSeconds: 300,
    volumes: [
      { name: `${container}-tls`, secret: { secretName: secret, defaultMode: 0o644 } },
      { name: `${container}-bootstrap`, emptyDir: {} },
    ],
    initContainers: [{
      name: "envoy-init-mgr",
      image: "example.com/marin3r:old",
      imagePullPolicy: "IfNotPresent",
      args: [
        ...["init-manager", "--admin-access-log-path", "/dev/null", "--admin-bind-address", "0.0.0.0:9901"],
        ...["--api-version", "v3", "--client-certificate-path", "/etc/envoy/tls/client"],
        ...["--config-file", "/etc/envoy/bootstrap/config.json", "--resources-path", "/etc/envoy/bootstrap"],
        ...["--rtds-resource-name", "runtime", "--xdss-host", `marin3r-ds.${namespace}.svc`, "--xdss-port", "18000"],
        ...["--envoy-image", "envoyproxy/envoy:v1.29.0"],
      ],
      env: [
        field("POD_NAME", "metadata.name"),
        field("POD_NAMESPACE", "metadata.namespace"),
        field("HOST_NAME", "spec.nodeName"),
      ],
      volumeMounts: [bootstrap],
    }],
    containers: [{
      name: container,
      image: "envoyproxy/envoy:v1.29.0",
      imagePullPolicy: "IfNotPresent",
      command: ["envoy"],
      args: [
        ...["-c", "/etc/envoy/bootstrap/config.json", "--service-node", nodeId, "--service-cluster", nodeId],
        ...["--drain-time-s", "300", "--drain-strategy", "gradual"],
      ],
      ports: [{ name: "http", containerPort: port }, { name: "admin", containerPort: 9901 }],
      volumeMounts: [
        { name: `${container}-tls`, mountPath: "/etc/envoy/tls/client", readOnly: true },
        { ...bootstrap, readOnly: true },
      ],
      livenessProbe: probe({ initialDelaySeconds: 30, periodSeconds: 10, failureThreshold: 10 }),
      readinessProbe: probe({ periodSeconds: 1, failureThreshold: 5, timeoutSeconds: 5 }),
      lifecycle: hook("/shutdown"),
    }, {
      name: "envoy-shtdn-mgr",
      image: "example.com/marin3r:old",
      imagePullPolicy: "IfNotPresent",
      args: ["shutdown-manager", "--port", "8090"],
      livenessProbe: { httpGet: { path: "/healthz", port: 8090 }, initialDelaySeconds: 3 },
      lifecycle: hook("/drain"),
    }],
  };
}
