import { openCertificates } from "../../../src/app/certificates/mod.ts";
import {
  installedObjects,
  type InstallOptions,
  installOptions,
  type KubeObject,
  partName,
} from "../../../src/install/mod.ts";
import { issueCertificate } from "../../../src/pki/crypto/mod.ts";
import { wantedLeaf, wantedRoot } from "../../../src/reconcile/webhook_certificate/wanted.ts";
import { eventually } from "../../envoy/harness/mod.ts";
import { type ControlPlane, startControlPlane } from "../control_plane/mod.ts";
import { kubeconfigOf } from "../control_plane/kubeconfig.ts";
import { OperatorProcess } from "../operator/operator_process.ts";
import { Balancer } from "./balancer.ts";
import { SecretMount } from "./secret_mount.ts";
import { WebhookProcess } from "./webhook_process.ts";

const ADMISSION = "/apis/admissionregistration.k8s.io/v1";

/** One webhook of a configuration, as far as tests look at it. */
export interface ConfiguredWebhook {
  readonly name: string;
  readonly failurePolicy: string;
  readonly namespaceSelector?: {
    readonly matchExpressions?: readonly { key: string; operator: string; values: readonly string[] }[];
  };
  readonly clientConfig: { readonly caBundle?: string };
}

/** A Secret, as far as tests look at it. */
export interface TlsSecret {
  readonly metadata: { readonly name: string; readonly resourceVersion: string };
  readonly data: { readonly "tls.crt": string; readonly "tls.key": string; readonly "ca.crt": string };
}

/** What is installed, and whose pods it is tried with. */
interface Installed {
  readonly options: InstallOptions;
  /** A namespace of users. */
  readonly users: string;
  /** Names of the replicas of the webhook. */
  readonly replicas: readonly string[];
}

/**
 * What `chancery install` applies to a cluster of its own. There are no nodes: what runs in pods is started here, with the accounts and
 * the arguments that are installed.
 */
export class Installation implements AsyncDisposable {
  readonly cluster: ControlPlane;
  readonly namespace: string;
  /** A namespace of users. */
  readonly users: string;
  readonly replicas: readonly WebhookProcess[];
  readonly #options: InstallOptions;
  readonly #parts: AsyncDisposableStack;

  private constructor(
    cluster: ControlPlane,
    { options, users }: Installed,
    { replicas, parts }: { replicas: readonly WebhookProcess[]; parts: AsyncDisposableStack },
  ) {
    this.cluster = cluster;
    this.namespace = options.namespace;
    this.users = users;
    this.replicas = replicas;
    this.#options = options;
    this.#parts = parts;
  }

  /** The default installation, in a cluster that ends with it. */
  static async open(): Promise<Installation> {
    await using parts = new AsyncDisposableStack();
    const cluster = parts.use(await startControlPlane());
    const options = installOptions({ image: "example.com/chancery:test" });
    const { crds, namespace, sharedRoles, operator, webhook, webhookConfigurations } = installedObjects(options);
    await cluster.apply([...namespace, ...crds]);
    await cluster.apply([...sharedRoles, ...operator, ...webhook, ...webhookConfigurations]);
    const installed = { options, users: await cluster.namespace("users"), replicas: ["one", "two"] };
    return await Installation.in(cluster, installed, parts.move());
  }

  /** One whose objects are in this cluster already; `given` ends with it. */
  static async in(
    cluster: ControlPlane,
    installed: Installed,
    given: AsyncDisposableStack = new AsyncDisposableStack(),
  ): Promise<Installation> {
    await using parts = given;
    const { options, options: { namespace }, users } = installed;
    const kubeconfig = await kubeconfigFor(cluster, namespace, partName("webhook"));
    const replicas = await Promise.all(installed.replicas.map(async (name) => {
      const env = { ...environmentOf("webhook", options), POD_NAME: `webhook-${name}`, POD_NAMESPACE: namespace };
      const replica = parts.use(await WebhookProcess.make({ kubeconfig, namespace: users, bare: true, env }));
      parts.use(new SecretMount(cluster, { namespace, name: "chancery-webhook-tls", replica }));
      return replica;
    }));
    const balancer = parts.use(new Balancer(replicas.map(({ port }) => port)));
    await cluster.route(`${namespace}/${partName("webhook")}`, 443, `127.0.0.1:${balancer.port}`);
    return new Installation(cluster, installed, { replicas, parts: parts.move() });
  }

  /** The arguments of what runs in the pods of a part, without those that are other ones here. */
  args(part: "operator" | "webhook"): readonly string[] {
    const [, ...args] = containerOf(part, this.#options).args;
    return args.filter((arg) => arg.startsWith("--webhook-"));
  }

  /** Whoever looks after certificates, not started yet; `args` besides those that are installed. */
  async manager(
    name: string,
    role: "operator" | "cert-manager",
    args: readonly string[] = [],
  ): Promise<OperatorProcess> {
    const kubeconfig = await kubeconfigFor(this.cluster, this.namespace, partName("operator"));
    const { WATCH_NAMESPACE: watch = "" } = environmentOf("operator", this.#options);
    const all = [...this.args("operator"), ...args];
    return this.#parts.use(
      new OperatorProcess({ name, role, kubeconfig, namespace: this.namespace, watch, args: all }),
    );
  }

  async configuration(kind: "mutating" | "validating"): Promise<readonly ConfiguredWebhook[]> {
    const path = this.#configurationPath(kind);
    const { webhooks } = await this.cluster.request("GET", path) as { webhooks: ConfiguredWebhook[] };
    return webhooks;
  }

  /** Sets values of a webhook of a configuration, the first when it is not said which. */
  async edit(
    kind: "mutating" | "validating",
    values: Readonly<Record<string, unknown>>,
    index: number = 0,
  ): Promise<void> {
    const path = this.#configurationPath(kind);
    const operations = Object.entries(values).map(([path, value]) => ({
      op: "add",
      path: `/webhooks/${index}${path}`,
      value,
    }));
    await this.cluster.request("PATCH", path, operations, "application/json-patch+json");
  }

  /** The Secret of the certificate, or of the one that is to follow; `undefined` when it is not there. */
  async secret(suffix = ""): Promise<TlsSecret | undefined> {
    return await this.cluster.request("GET", this.#secretPath(suffix)).catch(() => undefined) as TlsSecret | undefined;
  }

  /** Deletes the Secret of the certificate. Gives the fingerprint of what the replicas show meanwhile. */
  async loseSecret(): Promise<string> {
    const shown = await this.shown();
    await this.cluster.request("DELETE", this.#secretPath());
    return shown ?? "";
  }

  /** Puts a certificate in place as it would have been made at another time, and trusted. Gives its fingerprint. */
  async putIssuedAt(now: number): Promise<string> {
    const random = (count: number) => crypto.getRandomValues(new Uint8Array(count));
    const root = await issueCertificate(wantedRoot(), { now, random });
    const bytes = (text: string) => new TextEncoder().encode(text);
    const issuer = { certificate: bytes(root.certificate), key: bytes(root.key) };
    const host = `${partName("webhook")}.${this.namespace}.svc`;
    const leaf = await issueCertificate(wantedLeaf([host, `${host}.cluster.local`]), { now, random, issuer });
    for (const kind of ["mutating", "validating"] as const) {
      for (const index of (await this.configuration(kind)).keys()) {
        await this.edit(kind, { "/clientConfig/caBundle": btoa(root.certificate) }, index);
      }
    }
    const data = {
      "tls.crt": btoa(leaf.certificate),
      "tls.key": btoa(leaf.key),
      "ca.crt": btoa(root.certificate),
    };
    await this.cluster.request("PATCH", this.#secretPath(), { data }, "application/merge-patch+json");
    return leaf.facts.fingerprint;
  }

  /** Creates a pod that asks for a sidecar, without keeping it. Gives the names of its containers. @throws {Error} why not */
  async createPod(
    name: string,
    namespace = this.users,
    { labels = { "marin3r.3scale.net/status": "enabled" } }: { labels?: Readonly<Record<string, string>> } = {},
  ): Promise<readonly string[]> {
    const { spec } = await this.cluster.request("POST", `/api/v1/namespaces/${namespace}/pods?dryRun=All`, {
      ...{ apiVersion: "v1", kind: "Pod" },
      metadata: {
        name,
        labels,
        annotations: { "marin3r.3scale.net/node-id": "edge" },
      },
      spec: {
        containers: [{ name: "app", image: "example.com/app", securityContext: RESTRICTED }],
        securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
      },
    }) as { spec: { containers: { name: string }[] } };
    return spec.containers.map((container) => container.name);
  }

  /** Whether every webhook trusts the same so many roots. */
  async isTrusted(roots: number): Promise<boolean> {
    const all = [...await this.configuration("mutating"), ...await this.configuration("validating")];
    const bundles = new Set(all.map(({ clientConfig }) => clientConfig.caBundle ?? ""));
    const [bundle = ""] = bundles;
    return bundles.size === 1 && atob(bundle).split("BEGIN CERTIFICATE").length === roots + 1;
  }

  /** Asks for another certificate, as `chancery certs rotate` does. Gives the fingerprint of the present one. */
  async rotate(): Promise<string> {
    const { kubeconfig } = this.cluster;
    await using certificates = await openCertificates({ kubeconfig, env: () => undefined });
    const { webhooks } = await certificates.list({ namespace: this.namespace });
    const { namespace, name, uid, held } = webhooks[0]!; // there is one
    if (held.kind !== "read" || held.reading.kind !== "pair") throw new Error("there is no certificate");
    const [{ fingerprint }] = held.reading.chain;
    await certificates.rotate({ kind: "Secret", namespace, name }, { uid, fingerprint });
    return fingerprint;
  }

  /** Fingerprint of the certificate that all replicas show; `undefined` when they do not all show one. */
  async shown(): Promise<string | undefined> {
    const selector = encodeURIComponent("chancery.dev/role=webhook,chancery.dev/group=chancery-webhook");
    const path = `/apis/coordination.k8s.io/v1/namespaces/${this.namespace}/leases?labelSelector=${selector}`;
    const { items } = await this.cluster.request("GET", path) as {
      items: { metadata: { annotations?: Readonly<Record<string, string>> } }[];
    };
    const shown = new Set(items.map(({ metadata }) => metadata.annotations?.["chancery.dev/served-certificate"]));
    return items.length === this.replicas.length && shown.size === 1 ? [...shown][0] : undefined;
  }

  /** Whether all replicas show one certificate, and not that one. */
  async isShownInsteadOf(fingerprint: string): Promise<boolean> {
    const shown = await this.shown();
    return shown !== undefined && shown !== fingerprint;
  }

  /** Whether pods that ask for a sidecar are let in, with one. */
  async letsIn(): Promise<boolean> {
    return await this.createPod("users").then((names) => names.includes("envoy-sidecar"), () => false);
  }

  async until(what: string, holds: () => boolean | Promise<boolean>, deadlineMs = 60_000): Promise<void> {
    const explain = () => this.replicas.map(({ output }) => output.split("\n").slice(-10).join("\n")).join("\n");
    await eventually(holds, { what, deadlineMs, explain });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#parts.disposeAsync();
  }

  #secretPath(suffix = ""): string {
    return `/api/v1/namespaces/${this.namespace}/secrets/chancery-webhook-tls${suffix}`;
  }

  /** By the name that the operator is told. */
  #configurationPath(kind: "mutating" | "validating"): string {
    const flag = `--webhook-${kind}-configuration=`;
    const name = this.args("operator").find((arg) => arg.startsWith(flag))?.slice(flag.length);
    return `${ADMISSION}/${kind}webhookconfigurations/${name}`;
  }
}

/** A container, as far as a process can be one. */
interface Container {
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string; readonly value?: string }[];
}

function containerOf(part: "operator" | "webhook", options: InstallOptions): Container {
  const objects: readonly KubeObject[] = installedObjects(options)[part];
  const deployment = objects.find(({ kind }) => kind === "Deployment") as unknown as {
    spec: { template: { spec: { containers: [Container] } } };
  }; // by its kind
  return deployment.spec.template.spec.containers[0];
}

/** The variables that have a value before there is a pod. */
function environmentOf(part: "operator" | "webhook", options: InstallOptions): Readonly<Record<string, string>> {
  return Object.fromEntries(
    containerOf(part, options).env.flatMap(({ name, value }) => value === undefined ? [] : [[name, value]]),
  );
}

const RESTRICTED = { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } };

async function kubeconfigFor(cluster: ControlPlane, namespace: string, account: string): Promise<string> {
  const token = await cluster.token(namespace, account);
  const path = `${cluster.directory}/${namespace}-${account}.kubeconfig`;
  const text = kubeconfigOf(cluster.server, cluster.ca, { token }, namespace);
  await Deno.writeTextFile(path, text, { mode: 0o600 });
  return path;
}
