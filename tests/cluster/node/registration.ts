import type { KubeClient, KubeObject } from "./kube/client.ts";
import { KubeError } from "./kube/client.ts";
import { delay } from "./machine/delay.ts";

/** How long a lease of a Node holds, and how often it is renewed: the kubelet's figures. */
const LEASE_SECONDS = 40;
const RENEW_MS = 10_000;

/** What a Node is registered with. */
export interface RegistrationOptions {
  readonly client: KubeClient;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Where the node's Pods reach the machine. */
  readonly address: string;
}

/** A Node in the API that is ready and stays so until it is disposed, when it goes. */
export class Registration implements AsyncDisposable {
  readonly #options: RegistrationOptions;
  readonly #stop = new AbortController();
  readonly #beating: Promise<void>;

  private constructor(options: RegistrationOptions) {
    this.#options = options;
    this.#beating = this.#beat();
  }

  /** Makes the Node and its lease. */
  static async make(options: RegistrationOptions): Promise<Registration> {
    const { client, name, labels } = options;
    const node = await client.request<KubeObject>("POST", "/api/v1/nodes", {
      body: {
        apiVersion: "v1",
        kind: "Node",
        metadata: { name, labels: { "kubernetes.io/hostname": name, "kubernetes.io/os": "linux", ...labels } },
      },
    });
    await client.request("PATCH", `/api/v1/nodes/${name}/status`, {
      contentType: "application/strategic-merge-patch+json",
      body: { status: statusOf(options) },
    });
    // An API server may taint new Nodes until somebody finds them ready; nobody else looks here.
    await client.request("PATCH", `/api/v1/nodes/${name}`, {
      contentType: "application/merge-patch+json",
      body: { spec: { taints: null } },
    });
    await client.request("POST", LEASES, {
      body: {
        apiVersion: "coordination.k8s.io/v1",
        kind: "Lease",
        metadata: {
          name,
          ownerReferences: [{ apiVersion: "v1", kind: "Node", name, uid: node.metadata.uid }],
        },
        spec: leaseSpec(name),
      },
    });
    return new Registration(options);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#beating;
    const { client, name } = this.#options;
    for (const path of [`${LEASES}/${name}`, `/api/v1/nodes/${name}`]) {
      await client.request("DELETE", path).catch((error) => {
        // An API server that has ended keeps nothing to clean up.
        if (error instanceof KubeError && error.status !== 404) throw error;
      });
    }
  }

  async #beat(): Promise<void> {
    const { client, name } = this.#options;
    const { signal } = this.#stop;
    for (;;) {
      await delay(RENEW_MS, signal);
      if (signal.aborted) return;
      const body = { spec: leaseSpec(name) };
      const contentType = "application/merge-patch+json";
      await client.request("PATCH", `${LEASES}/${name}`, { body, contentType, signal }).catch(() => {}); // the next one may come through
    }
  }
}

const LEASES = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases";

function leaseSpec(name: string) {
  const renewTime = new Date().toISOString().replace("Z", "000Z");
  return { holderIdentity: name, leaseDurationSeconds: LEASE_SECONDS, renewTime };
}

function statusOf({ name, address }: RegistrationOptions) {
  // Generous, so that the scheduler never has to choose: what is asked for is not what the processes take.
  const resources = { cpu: "64", memory: "256Gi", pods: "1000", "ephemeral-storage": "1Ti" };
  const now = new Date().toISOString();
  const conditions = [
    ["Ready", "True", "KubeletReady"],
    ["MemoryPressure", "False", "KubeletHasSufficientMemory"],
    ["DiskPressure", "False", "KubeletHasNoDiskPressure"],
    ["PIDPressure", "False", "KubeletHasSufficientPID"],
  ].map(([type, status, reason]) => ({ type, status, reason, lastHeartbeatTime: now, lastTransitionTime: now }));
  return {
    capacity: resources,
    allocatable: resources,
    conditions,
    addresses: [{ type: "InternalIP", address }, { type: "Hostname", address: name }],
    nodeInfo: {
      architecture: Deno.build.arch === "aarch64" ? "arm64" : "amd64",
      bootID: crypto.randomUUID(),
      containerRuntimeVersion: "process://1.0.0",
      kernelVersion: Deno.osRelease(),
      kubeProxyVersion: "",
      kubeletVersion: "v1.36.0",
      machineID: name,
      operatingSystem: "linux",
      osImage: "processes of this machine",
      systemUUID: crypto.randomUUID(),
    },
  };
}
