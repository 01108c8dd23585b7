/**
 * A namespace of a real cluster with operators that may do there what their roles say and nothing else. Everything is gone with the
 * scope.
 * @module
 */
import { parseYaml } from "../../../src/base/yaml/mod.ts";
import { eventually } from "../../envoy/harness/mod.ts";
import { type ControlPlane, type PolicyRule, sharedControlPlane } from "../control_plane/mod.ts";
import { OperatorProcess, type OperatorProcessOptions } from "./operator_process.ts";

const MANIFESTS = new URL("../../../manifests/operator/", import.meta.url);
const ACCOUNT = "operator";
const OPERATOR_KINDS = "operator.marin3r.3scale.net/v1alpha1";

/** Until what has no owner any more is gone: the garbage collector learns of new kinds twice a minute only. */
export const COLLECTED_MS = 75_000;

/** A condition as the API server gives it. */
export interface TestCondition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

/** An object, as far as tests look at it. */
export interface TestObject {
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly generation?: number;
    readonly resourceVersion: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly data?: Readonly<Record<string, string>>;
  readonly status?: { readonly conditions?: readonly TestCondition[]; readonly [field: string]: unknown };
}

/** The rules of a role among the manifests. */
export async function rulesOf(file: string): Promise<readonly PolicyRule[]> {
  const [document] = parseYaml(await Deno.readTextFile(new URL(file, MANIFESTS)), file).documents;
  return (document?.value as { rules: PolicyRule[] }).rules; // a role
}

/** See above. */
export class Ground implements AsyncDisposable {
  readonly cluster: ControlPlane;
  readonly namespace: string;
  readonly #kubeconfig: string;
  readonly #parts = new AsyncDisposableStack();
  readonly #operators: OperatorProcess[] = [];

  /** Use {@linkcode openGround}. */
  constructor(cluster: ControlPlane, at: { namespace: string; kubeconfig: string }) {
    this.cluster = cluster;
    this.namespace = at.namespace;
    this.#kubeconfig = at.kubeconfig;
  }

  /** An operator that is not started yet. */
  operator(
    name: string,
    options: Partial<Pick<OperatorProcessOptions, "role" | "args" | "kubeconfig" | "watch">> = {},
  ): OperatorProcess {
    const operator = this.#parts.use(
      new OperatorProcess({ kubeconfig: this.#kubeconfig, ...options, name, namespace: this.namespace }),
    );
    this.#operators.push(operator);
    return operator;
  }

  /** Applies one of the operator's kinds. */
  async apply(kind: string, name: string, spec: object = {}, metadata: object = {}): Promise<void> {
    const object = {
      apiVersion: OPERATOR_KINDS,
      kind,
      metadata: { ...metadata, name, namespace: this.namespace },
      spec,
    };
    await this.cluster.apply([object]);
  }

  /** `services/NAME` or `apps/v1/deployments/NAME`; of the operator's kinds just `discoveryservices/NAME`. */
  path(path: string): string {
    const steps = path.split("/");
    const own = /^(discoveryservice|envoydeployment)/.test(path);
    const grouped = steps.length > 2 && /^v\d/.test(steps[1] ?? "");
    const version = own ? `/apis/${OPERATOR_KINDS}` : grouped ? `/apis/${steps.splice(0, 2).join("/")}` : "/api/v1";
    return `${version}/namespaces/${this.namespace}/${steps.join("/")}`;
  }

  /** An object; `undefined` when it is not there. */
  async get(path: string): Promise<TestObject | undefined> {
    try {
      return await this.cluster.request("GET", this.path(path)) as TestObject; // what is kept under this path
    } catch (thrown) {
      if (/404/.test(String(thrown))) return undefined;
      throw thrown;
    }
  }

  async patch(path: string, body: object): Promise<void> {
    await this.cluster.request("PATCH", this.path(path), body, "application/merge-patch+json");
  }

  async remove(path: string): Promise<void> {
    await this.cluster.request("DELETE", this.path(path), { propagationPolicy: "Background" });
  }

  /** Waits until an object satisfies a condition. */
  async until(
    path: string,
    what: string,
    holds: (object: TestObject) => boolean,
    deadlineMs = 30_000,
  ): Promise<TestObject> {
    let last: TestObject | undefined;
    return await eventually(async () => {
      last = await this.get(path);
      return last !== undefined && holds(last) && last;
    }, {
      what: `${path} to be ${what}`,
      deadlineMs,
      explain: () =>
        `${JSON.stringify({ ...last, data: undefined }, null, 1)}\n${
          this.#operators.map(({ process }) => process.tail(20)).join("\n")
        }`,
    });
  }

  /** Waits until a condition of an object has this reason. */
  async reason(path: string, type: string, reason: string, deadlineMs = 30_000): Promise<TestObject> {
    return await this.until(
      path,
      `${type}: ${reason}`,
      (object) => conditionOf(object, type)?.reason === reason,
      deadlineMs,
    );
  }

  /** Waits until an object is gone. */
  async gone(path: string): Promise<void> {
    await eventually(async () => await this.get(path) === undefined, {
      what: `${path} to be gone`,
      deadlineMs: COLLECTED_MS,
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#parts.disposeAsync();
    await this.cluster.request("DELETE", `/api/v1/namespaces/${this.namespace}`);
    const said = this.#operators.map(({ output }) => output).join("\n");
    const denied = said.split("\n").find((line) => line.includes(`:${this.namespace}:${ACCOUNT}\\" cannot`));
    if (denied !== undefined) throw new Error(`The role is too small: ${denied}`);
    if (/BEGIN [A-Z ]*PRIVATE KEY/.test(said)) throw new Error("I14: a private key shows in what an operator says");
  }
}

/** A condition of an object. */
export function conditionOf(object: TestObject, type: string): TestCondition | undefined {
  return object.status?.conditions?.find((condition) => condition.type === type);
}

/** Makes a ground, on the shared control plane or another one, in a new namespace or a given one. */
export async function openGround(options: { cluster?: ControlPlane; namespace?: string } = {}): Promise<Ground> {
  const cluster = options.cluster ?? await sharedControlPlane();
  await cluster.applyCrds();
  await cluster.apply(await Deno.readTextFile(new URL("discovery_service_role.yaml", MANIFESTS)));
  const namespace = options.namespace ?? await cluster.namespace("operator");
  const rules = await Promise.all(["operator_role.yaml", "cert_manager_role.yaml", "leases_role.yaml"].map(rulesOf));
  const kubeconfig = await cluster.serviceAccount(namespace, ACCOUNT, rules.flat(), { clusterWide: true });
  return new Ground(cluster, { namespace, kubeconfig });
}
