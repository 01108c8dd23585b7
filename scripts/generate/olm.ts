import config from "../../deno.json" with { type: "json" };
import type { KindDefinition } from "../../src/api/mod.ts";
import { KINDS } from "../../src/api/kinds/mod.ts";
import {
  type InstalledObjects,
  installedObjects,
  installOptions,
  type KubeObject,
  type PassedOn,
} from "../../src/install/mod.ts";
import { stringifyYaml } from "../../src/base/yaml/mod.ts";
import { GENERATED, manifest } from "./manifest.ts";

const FOLDER = "manifests/olm";
/** Kinds that only we write. */
const INTERNAL = ["EnvoyConfigRevision", "DiscoveryServiceCertificate"];
/** What the API server is told of a webhook, as OLM has it, too. */
const SAME_FIELDS = [
  ...["admissionReviewVersions", "rules", "objectSelector", "matchPolicy", "sideEffects", "timeoutSeconds"],
  "reinvocationPolicy",
];
const LABELS = {
  "operators.operatorframework.io.bundle.mediatype.v1": "registry+v1",
  "operators.operatorframework.io.bundle.manifests.v1": "manifests/",
  "operators.operatorframework.io.bundle.metadata.v1": "metadata/",
  "operators.operatorframework.io.bundle.package.v1": "chancery",
  "operators.operatorframework.io.bundle.channels.v1": "alpha",
  "operators.operatorframework.io.bundle.channel.default.v1": "alpha",
} as const;

/** `manifests/olm/`: a bundle for the Operator Lifecycle Manager, which makes accounts, rights and the webhook's certificate itself. */
export function olmFiles(): ReadonlyMap<string, string> {
  const objects = installedObjects(installOptions({ "certManager.enabled": true }));
  const others = [
    ...objects.crds,
    ...objects.sharedRoles,
    ...[...objects.operator, ...objects.webhook].filter(isOther),
  ];
  const labels = Object.entries(LABELS).map(([name, value]) => `LABEL ${name}=${value}\n`).join("");
  return new Map([
    [`${FOLDER}/manifests/chancery.clusterserviceversion.yaml`, manifest([clusterServiceVersion(objects)])],
    ...others.map((object): [string, string] => [`${FOLDER}/manifests/${fileName(object)}`, manifest([bare(object)])]),
    [`${FOLDER}/metadata/annotations.yaml`, `${GENERATED}${stringifyYaml({ annotations: LABELS })}`],
    [
      `${FOLDER}/bundle.Containerfile`,
      `${GENERATED}FROM scratch\n${labels}COPY manifests /manifests/\nCOPY metadata /metadata/\n`,
    ],
  ]);
}

/** What is in the bundle as it is. */
function isOther({ kind, metadata }: KubeObject): boolean {
  return kind === "PodDisruptionBudget" || kind === "Service" && metadata.name.endsWith("-metrics");
}

function fileName({ kind, metadata: { name } }: KubeObject): string {
  return `${name}.${kind.toLowerCase()}.yaml`;
}

/** OLM says in which namespace things are. */
function bare(object: KubeObject): KubeObject {
  const { namespace: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

function clusterServiceVersion(objects: InstalledObjects): KubeObject {
  const parts = [...objects.operator, ...objects.webhook];
  const rulesOf = (kind: string) =>
    parts.filter((object) => object.kind === kind).map(({ metadata: { name }, rules }) => ({
      serviceAccountName: name.replace(/-own$/, ""),
      rules,
    }));
  const { image } = installOptions();
  return {
    apiVersion: "operators.coreos.com/v1alpha1",
    kind: "ClusterServiceVersion",
    metadata: {
      name: `chancery.v${config.version}`,
      namespace: "placeholder",
      annotations: {
        capabilities: "Full Lifecycle",
        categories: "Networking",
        containerImage: image,
        "operators.operatorframework.io/internal-objects": JSON.stringify(
          KINDS.filter(({ kind }) => INTERNAL.includes(kind)).map(crdName),
        ),
        "alm-examples": JSON.stringify(EXAMPLES),
      },
    },
    spec: {
      displayName: "Chancery",
      description: "A control plane for Envoy: EnvoyConfigs, discovery services, Envoys and sidecars.",
      version: config.version,
      maturity: "alpha",
      minKubeVersion: "1.30.0",
      keywords: ["envoy", "xds", "proxy"],
      provider: { name: "Chancery" },
      // What is tried in tests is an installation for the whole cluster.
      installModes: ["OwnNamespace", "SingleNamespace", "MultiNamespace", "AllNamespaces"].map((type) => ({
        type,
        supported: type === "AllNamespaces",
      })),
      customresourcedefinitions: {
        owned: KINDS.map((kind) => ({
          name: crdName(kind),
          version: kind.version,
          kind: kind.kind,
          displayName: kind.kind,
          description: kind.description,
        })),
      },
      install: {
        strategy: "deployment",
        spec: {
          clusterPermissions: rulesOf("ClusterRole"),
          permissions: rulesOf("Role"),
          deployments: parts.filter(({ kind }) => kind === "Deployment").map((
            { metadata: { name, labels }, spec },
          ) => ({
            name,
            label: labels,
            spec: withoutCertificate(spec as DeploymentSpec), // of a Deployment of ours
          })),
        },
      },
      webhookdefinitions: objects.webhookConfigurations.flatMap(webhookDefinitions),
      relatedImages: [{ name: "chancery", image }],
    },
  };
}

function crdName({ plural, group }: KindDefinition): string {
  return `${plural}.${group}`;
}

interface DeploymentSpec {
  readonly template: { readonly spec: { readonly containers: readonly { readonly args: readonly string[] }[] } };
}

/** OLM mounts the certificate where the program looks for it when nothing is said. */
function withoutCertificate(spec: DeploymentSpec): PassedOn {
  const { template } = spec;
  const { volumes: _, ...pod } = template.spec as typeof template.spec & { volumes?: unknown };
  const containers = pod.containers.map((container) => {
    const { volumeMounts: _, ...rest } = container as typeof container & { volumeMounts?: unknown };
    return { ...rest, args: container.args.filter((argument) => !argument.startsWith("--tls-dir=")) };
  });
  return { ...spec, template: { ...template, spec: { ...pod, containers } } };
}

interface WebhookEntry {
  readonly name: string;
  readonly clientConfig: { readonly service: { readonly path: string } };
  readonly [field: string]: unknown;
}

function webhookDefinitions({ kind, webhooks }: KubeObject): PassedOn[] {
  return (webhooks as readonly WebhookEntry[]).map((entry) => ({ // of a configuration of ours
    type: kind === "MutatingWebhookConfiguration" ? "MutatingAdmissionWebhook" : "ValidatingAdmissionWebhook",
    generateName: entry.name,
    deploymentName: "chancery-webhook",
    containerPort: 443,
    targetPort: 9443,
    webhookPath: entry.clientConfig.service.path,
    failurePolicy: "Fail",
    ...Object.fromEntries(SAME_FIELDS.filter((field) => field in entry).map((field) => [field, entry[field]])),
  }));
}

/** Of each kind that people begin with. */
const EXAMPLES = [
  { apiVersion: "operator.marin3r.3scale.net/v1alpha1", kind: "DiscoveryService", metadata: { name: "ds" }, spec: {} },
  {
    apiVersion: "operator.marin3r.3scale.net/v1alpha1",
    kind: "EnvoyDeployment",
    metadata: { name: "front" },
    spec: { discoveryServiceRef: "ds", envoyConfigRef: "edge", ports: [{ name: "http", port: 8080 }] },
  },
  {
    apiVersion: "marin3r.3scale.net/v1alpha1",
    kind: "EnvoyConfig",
    metadata: { name: "edge" },
    spec: {
      nodeID: "edge",
      resources: [{
        type: "cluster",
        value: {
          name: "app",
          type: "STRICT_DNS",
          connect_timeout: "1s",
          load_assignment: {
            cluster_name: "app",
            endpoints: [{
              lb_endpoints: [{
                endpoint: { address: { socket_address: { address: "app.shop.svc", port_value: 8080 } } },
              }],
            }],
          },
        },
      }],
    },
  },
  {
    apiVersion: "servicemesh.l7mp.io/v1",
    kind: "VirtualService",
    metadata: { name: "ingress" },
    spec: {
      selector: { app: "ingress" },
      listeners: [{
        name: "ingress",
        udp: {
          port: 2000,
          cluster: {
            name: "workers",
            service_discovery: "strictdns",
            endpoints: [{ name: "workers", host: { selector: { app: "worker" } }, port: 2001 }],
          },
        },
      }],
    },
  },
];
