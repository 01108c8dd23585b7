import { injectPod } from "../../../src/inject/mod.ts";
import { mutatingWebhookConfiguration, podReviewer } from "../../../src/webhook/mod.ts";
import { type ControlPlane, sharedControlPlane } from "../control_plane/mod.ts";
import { WebhookProcess } from "./webhook_process.ts";

const PREFIX = "marin3r.3scale.net/";
const RULES = [
  { apiGroups: ["marin3r.3scale.net"], resources: ["envoyconfigs"], verbs: ["get", "list", "watch"] },
  { apiGroups: ["operator.marin3r.3scale.net"], resources: ["discoveryservices"], verbs: ["get", "list", "watch"] },
];

/** A namespace of a real API server whose pods are given sidecars by a real webhook. */
export class InjectionSite implements AsyncDisposable {
  readonly cluster: ControlPlane;
  readonly namespace: string;
  readonly webhook: WebhookProcess;

  private constructor(cluster: ControlPlane, namespace: string, webhook: WebhookProcess) {
    this.cluster = cluster;
    this.namespace = namespace;
    this.webhook = webhook;
  }

  /** In a namespace of its own, unless one is given. */
  static async open(
    { image = "example.com/chancery:test", ...given }: { namespace?: string; image?: string } = {},
  ): Promise<InjectionSite> {
    const cluster = await sharedControlPlane();
    await cluster.applyCrds();
    const namespace = given.namespace ?? await cluster.namespace("inject");
    const kubeconfig = await cluster.serviceAccount(namespace, "webhook", RULES);
    const webhook = await WebhookProcess.make({ kubeconfig, namespace });
    const site = new InjectionSite(cluster, namespace, webhook);
    await webhook.start("--image", image);
    const reviewer = podReviewer({ inject: (pod) => injectPod(pod, { image: "", discovery: () => "" }) });
    await cluster.apply([mutatingWebhookConfiguration([reviewer], {
      client: { url: webhook.url },
      caBundle: webhook.authority.cert,
      name: namespace,
      namespaces: [namespace],
    })]);
    await webhook.wait("the API server to ask the webhook", async () => {
      const { stderr } = await site.apply(podOf("probe", {}), "--dry-run=server");
      return stderr.includes("denied the request");
    });
    return site;
  }

  async kubectl(...args: string[]) {
    return await this.cluster.kubectl(["-n", this.namespace, ...args]);
  }

  async apply(object: object, ...args: string[]) {
    return await this.cluster.kubectl(["-n", this.namespace, "apply", "-f", "-", ...args], {
      stdin: JSON.stringify(object),
    });
  }

  async get(...what: string[]): Promise<Pod> {
    return JSON.parse((await this.kubectl("get", ...what, "-o", "json")).stdout);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.cluster.kubectl(["delete", "mutatingwebhookconfiguration", this.namespace, "--ignore-not-found"]);
    await this.webhook[Symbol.asyncDispose]();
  }
}

/** A container of a pod, as far as tests look at it. */
export interface Container {
  readonly name: string;
  readonly args?: readonly string[];
  readonly restartPolicy?: string;
  readonly lifecycle?: unknown;
}

/** A pod, as far as tests look at it. */
export interface Pod {
  readonly items?: readonly Pod[];
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly containers: readonly Container[];
    readonly initContainers: readonly Container[];
    readonly volumes: readonly { readonly name: string }[];
    readonly terminationGracePeriodSeconds: number;
  };
}

/** Of a pod that asks for a sidecar; annotations without their prefix. */
export function template(annotations: Record<string, string>, spec: object = {}) {
  const prefixed = Object.fromEntries(Object.entries(annotations).map(([k, v]) => [`${PREFIX}${k}`, v]));
  return {
    metadata: { labels: { app: "shop", [`${PREFIX}status`]: "enabled" }, annotations: prefixed },
    spec: { containers: [{ name: "app", image: "example.com/app" }], ...spec },
  };
}

/** A pod that asks for a sidecar; annotations without their prefix. */
export function podOf(name: string, annotations: Record<string, string>, spec: object = {}) {
  const { metadata, ...rest } = template(annotations, spec);
  return { apiVersion: "v1", kind: "Pod", metadata: { ...metadata, name }, ...rest };
}

/** A DiscoveryService. */
export function discoveryService(name: string, spec: object = {}) {
  return { apiVersion: "operator.marin3r.3scale.net/v1alpha1", kind: "DiscoveryService", metadata: { name }, spec };
}
