/**
 * VirtualServices and Pods in the words of a user: what the tests put into the directory or into the API server.
 * @module
 */
import type { Fields } from "../../envoy/harness/mod.ts";

/** Options of {@linkcode virtualService}. */
export interface VirtualServiceOptions {
  readonly selector: Readonly<Record<string, string>>;
  readonly listeners: readonly Fields[];
  readonly namespace?: string;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** A VirtualService. */
export function virtualService(name: string, options: VirtualServiceOptions): Fields {
  const { selector, listeners, namespace = "default", annotations } = options;
  return {
    apiVersion: "servicemesh.l7mp.io/v1",
    kind: "VirtualService",
    metadata: { name, namespace, ...(annotations && { annotations }) },
    spec: { selector, listeners },
  };
}

/** Options of {@linkcode listenerEntry}. */
export interface ListenerEntryOptions {
  /** `udp` when absent. */
  readonly protocol?: "udp" | "tcp";
  readonly port: number;
  /** Labels of the pods behind it, or addresses. */
  readonly to: Readonly<Record<string, string>> | readonly string[];
  readonly toPort: number;
  readonly healthPort?: number;
  /** Milliseconds between health checks; there are none when absent. */
  readonly interval?: number;
  /** More of the cluster, e.g. `hash_key`. */
  readonly cluster?: Fields;
}

/** One entry of `spec.listeners`; the cluster's name is made of that of the listener. */
export function listenerEntry(name: string, options: ListenerEntryOptions): Fields {
  const { protocol = "udp", port, to, toPort, healthPort, interval, cluster } = options;
  const rest = { port: toPort, ...(healthPort !== undefined && { health_check_port: healthPort }) };
  const endpoints = Array.isArray(to)
    ? to.map((address, index) => ({ name: `endpoint-${index}`, host: { address }, ...rest }))
    : [{ name: "endpoint-0", host: { selector: to }, ...rest }];
  return {
    name,
    [protocol]: {
      port,
      cluster: {
        name: `${name}-cluster`,
        service_discovery: "strictdns",
        ...(interval !== undefined && { health_check: { interval, protocol: "TCP" } }),
        endpoints,
        ...cluster,
      },
    },
  };
}

/** Options of {@linkcode pod}. */
export interface PodOptions {
  readonly labels: Readonly<Record<string, string>>;
  readonly address: string;
  readonly namespace?: string;
  readonly uid?: string;
  /** True when absent. */
  readonly ready?: boolean;
}

/** A Pod as `kubectl get -o yaml` shows it, as far as anybody here looks at it. */
export function pod(name: string, options: PodOptions): Fields {
  const { labels, address, namespace = "default", uid, ready = true } = options;
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace, labels, ...(uid !== undefined && { uid }) },
    status: {
      phase: "Running",
      podIP: address,
      podIPs: [{ ip: address }],
      conditions: [{ type: "Ready", status: ready ? "True" : "False" }],
    },
  };
}
