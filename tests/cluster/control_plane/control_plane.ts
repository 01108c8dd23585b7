import { eventually } from "../../envoy/harness/eventually.ts";
import type { Component } from "./component.ts";
import { kubeconfigOf } from "./kubeconfig.ts";
import { ask, type ControlRequest } from "./control_socket.ts";
import {
  accessReview,
  accountManifests,
  type PolicyRule,
  type ServiceAccountName,
  type ServiceAccountOptions,
} from "./service_account.ts";
import { signToken } from "./service_account_token.ts";
import type { Plan } from "./supervisor.ts";

/** What a command printed and how it ended. */
export interface CommandResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

const HOUR_S = 3600;
/** How long the API server may take to know what it was told, in milliseconds. */
const DEADLINE_MS = 20_000;
/** The least that TokenRequest gives. */
const SHORTEST_TOKEN_S = 600;
const CRD_FOLDER = new URL("../../../manifests/crd/", import.meta.url).pathname;

/** A running control plane: a real etcd, kube-apiserver, kube-controller-manager and kube-scheduler on 127.0.0.1. */
export class ControlPlane implements AsyncDisposable {
  /** Holds `kubeconfig`, `ca.crt`, `<component>.log` and, when asked for, `audit.log`. */
  readonly directory: string;
  /** Path of an administrator's kubeconfig. */
  readonly kubeconfig: string;
  /** `https://127.0.0.1:PORT`. */
  readonly server: string;
  /** Who signed the server's certificate, PEM. */
  readonly ca: string;
  /** What runs, or can be started. */
  readonly components: readonly Component[];
  readonly #binaries: string;
  readonly #shared: boolean;

  private constructor(directory: string, plan: Plan, server: string, ca: string, shared: boolean) {
    this.directory = directory;
    this.kubeconfig = `${directory}/kubeconfig`;
    this.server = server;
    this.ca = ca;
    this.components = plan.components;
    this.#binaries = plan.binaries;
    this.#shared = shared;
  }

  /** The control plane that runs in this folder; a shared one cannot be stopped. */
  static async at(directory: string, { shared }: { shared: boolean }): Promise<ControlPlane> {
    const plan: Plan = JSON.parse(await Deno.readTextFile(`${directory}/plan.json`));
    const config = JSON.parse(await Deno.readTextFile(`${directory}/kubeconfig`));
    const { server, "certificate-authority-data": ca } = config.clusters[0].cluster;
    return new ControlPlane(directory, plan, server, atob(ca), shared);
  }

  /** Path of the API server's audit log, one JSON document a line; there only when it was asked for. */
  get auditLog(): string {
    return `${this.directory}/audit.log`;
  }

  /** Sends SIGTERM, or another signal, and waits for the end, which is forced after 2 s. Data is kept. */
  async stop(component: Component, options: { readonly signal?: Deno.Signal } = {}): Promise<void> {
    await this.#break({ do: "stop", component, signal: options.signal ?? "SIGTERM" });
  }

  /** Starts what was stopped, with the same data and address, and waits until it is ready. */
  async start(component: Component): Promise<void> {
    await this.#break({ do: "start", component });
  }

  /** Sends SIGSTOP: connections stay open, nothing answers. */
  async freeze(component: Component): Promise<void> {
    await this.#break({ do: "freeze", component });
  }

  async thaw(component: Component): Promise<void> {
    await this.#break({ do: "thaw", component });
  }

  /**
   * From now on the API server reaches `address` (`HOST:PORT`) when it calls this port of this Service (`NAMESPACE/NAME`, which has to
   * exist, or a cluster IP): how webhooks of type Service are answered by a process. Without an address: no longer.
   */
  async route(clusterIPOrService: string, port: number, address: string | undefined): Promise<void> {
    let ip = clusterIPOrService;
    if (ip.includes("/")) {
      const [namespace, name] = ip.split("/");
      const service = await this.request("GET", `/api/v1/namespaces/${namespace}/services/${name}`) as {
        spec: { clusterIP: string };
      };
      ip = service.spec.clusterIP;
    }
    await ask(this.directory, {
      do: "route",
      from: `${ip}:${port}`,
      ...(address === undefined ? {} : { to: address }),
    });
  }

  /** Makes a namespace that nobody else uses, in which Pods can be made, and gives back its name. */
  async namespace(prefix = "test"): Promise<string> {
    const name = `${prefix}-${crypto.randomUUID().slice(0, 8)}`;
    const labels = { "chancery.test/namespace": "true" };
    await this.request("POST", "/api/v1/namespaces", {
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name, labels },
    });
    if (this.components.includes("kube-controller-manager")) {
      const account = `/api/v1/namespaces/${name}/serviceaccounts/default`;
      await eventually(() => this.request("GET", account), { what: account, deadlineMs: DEADLINE_MS });
    }
    return name;
  }

  /** Path of the real kubectl. */
  get kubectlPath(): string {
    return `${this.#binaries}/kubectl`;
  }

  /** Runs the real kubectl as administrator. Does not fail when kubectl does. */
  async kubectl(args: readonly string[], options: { readonly stdin?: string } = {}): Promise<CommandResult> {
    const child = new Deno.Command(this.kubectlPath, {
      args: [`--kubeconfig=${this.kubeconfig}`, `--cache-dir=${this.directory}/kubectl-cache`, ...args],
      env: { KUBERC: "off" },
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    const writer = child.stdin.getWriter();
    await writer.write(new TextEncoder().encode(options.stdin ?? "")).catch(() => {}); // it may have ended without reading
    await writer.close().catch(() => {});
    const { code, stdout, stderr } = await child.output();
    const decoder = new TextDecoder();
    return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
  }

  /** Applies manifests with kubectl. @throws {Error} with kubectl's words */
  async apply(manifests: readonly object[] | string): Promise<void> {
    const stdin = typeof manifests === "string"
      ? manifests
      : JSON.stringify({ apiVersion: "v1", kind: "List", items: manifests });
    await this.#must(["apply", "--server-side", "--force-conflicts", "-f", "-"], stdin);
  }

  /** Applies `manifests/crd/` and waits until the API server serves the kinds. May be called again. */
  async applyCrds(): Promise<void> {
    await this.#must(["apply", "--server-side", "--force-conflicts", "-f", CRD_FOLDER]);
    await this.#must(["wait", "--for=condition=Established", "--timeout=30s", "-f", CRD_FOLDER]);
  }

  /**
   * Makes a service account that may do what the rules say and nothing else.
   * @returns path of a kubeconfig with its token, whose namespace is the account's
   */
  async serviceAccount(
    namespace: string,
    name: string,
    rules: readonly PolicyRule[],
    options: ServiceAccountOptions = {},
  ): Promise<string> {
    await this.apply(accountManifests({ namespace, name }, rules, options));
    const last = rules.at(-1);
    if (last) {
      // Rules are seen a moment later.
      const allowed = () => this.#expectAllowed(last, { namespace, name }).then(() => true);
      await eventually(allowed, { what: `the rules of "${namespace}/${name}"`, deadlineMs: DEADLINE_MS });
    }
    const token = await this.token(namespace, name, options.lifetimeSeconds);
    const path = `${this.directory}/${namespace}-${name}.kubeconfig`;
    await Deno.writeTextFile(path, kubeconfigOf(this.server, this.ca, { token }, namespace), { mode: 0o600 });
    return path;
  }

  /** A new token of a service account that exists. Default: good for one hour. */
  async token(namespace: string, name: string, lifetimeSeconds = HOUR_S): Promise<string> {
    const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${name}`;
    if (lifetimeSeconds < SHORTEST_TOKEN_S) {
      const { metadata } = await this.request("GET", path) as { metadata: { uid: string } };
      const key = await Deno.readTextFile(`${this.directory}/service-account.key`);
      return await signToken(key, { namespace, name, uid: metadata.uid }, lifetimeSeconds);
    }
    const body = {
      apiVersion: "authentication.k8s.io/v1",
      kind: "TokenRequest",
      spec: { expirationSeconds: lifetimeSeconds },
    };
    const { status } = await this.request("POST", `${path}/token`, body) as { status: { token: string } };
    return status.token;
  }

  /** One request as administrator, quicker than kubectl. @throws {Error} with the API server's words */
  async request(method: string, path: string, body?: object, contentType = "application/json"): Promise<unknown> {
    const read = (name: string) => Deno.readTextFile(`${this.directory}/${name}`);
    using client = Deno.createHttpClient({
      caCerts: [this.ca],
      cert: await read("admin.crt"),
      key: await read("admin.key"),
    });
    const response = await fetch(`${this.server}${path}`, {
      method,
      client,
      signal: AbortSignal.timeout(30_000),
      headers: { accept: "application/json", ...(body === undefined ? {} : { "content-type": contentType }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const answer = await response.json();
    if (!response.ok) throw new Error(`Cannot ${method} ${path}: ${response.status} ${answer?.message}`);
    return answer;
  }

  /** Ends everything and removes the folder; does nothing to a shared control plane. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#shared) await ask(this.directory, { do: "close" });
  }

  async #break(request: ControlRequest): Promise<void> {
    if (this.#shared) {
      throw new Error(`Cannot ${request.do} a component of the shared control plane: start one of your own`);
    }
    await ask(this.directory, request);
  }

  async #expectAllowed(rule: PolicyRule, account: ServiceAccountName): Promise<void> {
    const path = "/apis/authorization.k8s.io/v1/subjectaccessreviews";
    const { status } = await this.request("POST", path, accessReview(rule, account)) as {
      status: { allowed: boolean; reason?: string };
    };
    if (status.allowed) return;
    const { namespace, name } = account;
    throw new Error(`Cannot use the rules of service account "${namespace}/${name}": ${status.reason}`);
  }

  async #must(args: readonly string[], stdin?: string): Promise<void> {
    const { code, stderr } = await this.kubectl(args, stdin === undefined ? {} : { stdin });
    if (code !== 0) throw new Error(`Cannot kubectl ${args[0]}: ${stderr.trim()}`);
  }
}
