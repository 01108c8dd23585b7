import {
  envoyConfigReviewer,
  NodeIds,
  virtualServiceReviewer,
  type WebhookClient,
  webhookConfiguration,
} from "../../../src/webhook/mod.ts";
import { envoyRegistry } from "../../../src/envoy/mod.ts";
import { type CommandResult, type ControlPlane, sharedControlPlane } from "../control_plane/mod.ts";
import { WebhookProcess, type WebhookProcessOptions } from "./webhook_process.ts";

/** The name under which users see refusals. */
export const ENTRY = "envoyconfig.marin3r.3scale.net-v1alpha1";

/** What a webhook may do: read EnvoyConfigs, and nothing else. */
const RULES = [{
  apiGroups: ["marin3r.3scale.net"],
  resources: ["envoyconfigs"],
  verbs: ["get", "list", "watch"],
}];

/** A namespace of a real API server whose EnvoyConfigs, and no others, are reviewed by a real webhook. */
export class WebhookSite implements AsyncDisposable {
  readonly cluster: ControlPlane;
  readonly namespace: string;
  readonly webhook: WebhookProcess;
  readonly #options: WebhookProcessOptions;

  private constructor(cluster: ControlPlane, webhook: WebhookProcess, options: WebhookProcessOptions) {
    this.cluster = cluster;
    this.namespace = options.namespace;
    this.webhook = webhook;
    this.#options = options;
  }

  /** Kinds, a namespace unless one is given, account and certificate; nothing runs and nothing is registered yet. */
  static async make(given?: { readonly cluster: ControlPlane; readonly namespace: string }): Promise<WebhookSite> {
    const cluster = given?.cluster ?? await sharedControlPlane();
    if (!given) await cluster.applyCrds();
    const namespace = given?.namespace ?? await cluster.namespace("webhook");
    const kubeconfig = await cluster.serviceAccount(namespace, "webhook", RULES);
    const options = { kubeconfig, namespace, dns: [`webhook.${namespace}.svc`] };
    return new WebhookSite(cluster, await WebhookProcess.make(options), options);
  }

  /** Another replica, not started yet. */
  async replica(): Promise<WebhookProcess> {
    return await WebhookProcess.make({ ...this.#options, authority: this.webhook.authority });
  }

  /** Starts the webhook and waits until the API server asks it. */
  async open(client: WebhookClient = { url: this.webhook.url }, ...args: string[]): Promise<void> {
    await this.webhook.start(...args);
    await this.register(client);
  }

  /** Registers the webhook for this namespace and waits until it counts. */
  async register(client: WebhookClient): Promise<void> {
    const nothing = { registry: envoyRegistry(), nodeIds: new NodeIds(), nodeIdScope: "namespace" } as const;
    const options = { client, caBundle: this.webhook.authority.cert, name: this.namespace };
    const configuration = webhookConfiguration([envoyConfigReviewer(nothing), virtualServiceReviewer()], options);
    const selector = { matchLabels: { "kubernetes.io/metadata.name": this.namespace } };
    const webhooks = (configuration["webhooks"] as object[]).map((entry) => ({
      ...entry,
      namespaceSelector: selector,
    }));
    await this.cluster.apply([{ ...configuration, webhooks }]);
    await this.webhook.wait("the API server to ask the webhook", async () => {
      const { stderr } = await this.apply(config("probe", "probe", [{ type: "secret" }]), "--dry-run=server");
      return stderr.includes("denied the request");
    });
  }

  /** Real kubectl, in the namespace. */
  async kubectl(...args: string[]): Promise<CommandResult> {
    return await this.cluster.kubectl(["-n", this.namespace, ...args]);
  }

  /** `kubectl apply -f -`, as a user types it. */
  async apply(object: object, ...args: string[]): Promise<CommandResult> {
    return await this.cluster.kubectl(["-n", this.namespace, "apply", "-f", "-", ...args], {
      stdin: JSON.stringify(object),
    });
  }

  /** Creates without kubectl. @throws {Error} with the API server's words */
  async create(object: object, query = ""): Promise<void> {
    const path = `/apis/marin3r.3scale.net/v1alpha1/namespaces/${this.namespace}/envoyconfigs${query}`;
    await this.cluster.request("POST", path, object);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.cluster.kubectl(["delete", "validatingwebhookconfiguration", this.namespace, "--ignore-not-found"]);
    await this.webhook[Symbol.asyncDispose]();
  }
}

/** An EnvoyConfig. */
export function config(name: string, nodeID: string, resources: readonly object[]) {
  return {
    apiVersion: "marin3r.3scale.net/v1alpha1",
    kind: "EnvoyConfig",
    metadata: { name },
    spec: { nodeID, resources },
  };
}

/** So many items that have nothing to be warned of: a listener with its routes and clusters, again and again. */
export function items(count: number): object[] {
  const all: object[] = [];
  for (let i = 0; all.length < count; i++) all.push(...triple(i));
  return all.slice(0, count);
}

function triple(i: number): object[] {
  const endpoint = { address: { socket_address: { address: `svc-${i}`, port_value: 80 } } };
  const manager = {
    "@type": "type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager",
    stat_prefix: "http",
    rds: { route_config_name: `r${i}`, config_source: { ads: {}, resource_api_version: "V3" } },
    http_filters: [{
      name: "router",
      typed_config: { "@type": "type.googleapis.com/envoy.extensions.filters.http.router.v3.Router" },
    }],
  };
  return [{
    type: "listener",
    value: {
      name: `l${i}`,
      address: { socket_address: { address: "0.0.0.0", port_value: 10_000 + i } },
      filter_chains: [{ filters: [{ name: "http", typed_config: manager }] }],
    },
  }, {
    type: "route",
    value: {
      name: `r${i}`,
      virtual_hosts: [{ name: "v", domains: ["*"], routes: [{ match: { prefix: "/" }, route: { cluster: `c${i}` } }] }],
    },
  }, {
    type: "cluster",
    value: {
      name: `c${i}`,
      connect_timeout: "1s",
      type: "STRICT_DNS",
      load_assignment: { cluster_name: `c${i}`, endpoints: [{ lb_endpoints: [{ endpoint }] }] },
    },
  }];
}
