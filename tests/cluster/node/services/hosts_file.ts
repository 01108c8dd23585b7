import type { Pod } from "../pod/pod.ts";
import { hasAddress, slicesByService, usable } from "./forwards.ts";
import type { EndpointSlice, Service } from "./service.ts";

/** Inputs of {@linkcode hostsFile}. */
export interface HostsInputs {
  readonly pod: Pod;
  readonly podIP: string;
  readonly services: Iterable<Service>;
  readonly slices: Iterable<EndpointSlice>;
}

/**
 * The `/etc/hosts` of a Pod. It stands for the cluster's DNS too: each Service by its names, where a headless one leads to its Pods
 * and these have names of their own.
 */
export function hostsFile({ pod, podIP, services, slices }: HostsInputs): string {
  const { namespace } = pod.metadata;
  const byService = slicesByService(slices);
  const lines = [["127.0.0.1", "localhost"], ["::1", "localhost", "ip6-localhost"], [podIP, ...ownNames(pod)]];
  for (const { ip, hostnames = [] } of pod.spec.hostAliases ?? []) lines.push([ip, ...hostnames]);
  const sorted = [...services].sort((a, b) => fullName(a) < fullName(b) ? -1 : 1);
  for (const service of sorted) {
    const names = namesOf(service.metadata.name, service.metadata.namespace ?? "", namespace);
    if (hasAddress(service.spec.clusterIP)) lines.push([service.spec.clusterIP, ...names]);
    if (service.spec.clusterIP !== "None") continue;
    for (const { address, hostname } of behind(service, byService.get(fullName(service)) ?? [])) {
      const own = hostname === undefined ? [] : names.map((name) => `${hostname}.${name}`);
      lines.push([address, ...own, ...names]);
    }
  }
  return lines.map((words) => `${words.join(" ")}\n`).join("");
}

/** The host name of a Pod. */
export function hostnameOf({ metadata, spec }: Pod): string {
  return (spec.hostname ?? metadata.name).slice(0, 63).replace(/[-.]+$/, "");
}

function ownNames(pod: Pod): string[] {
  const hostname = hostnameOf(pod);
  const { subdomain } = pod.spec;
  return subdomain ? [`${hostname}.${subdomain}.${pod.metadata.namespace}.svc.cluster.local`, hostname] : [hostname];
}

/** All names of a Service that a Pod may use, the longest first. */
function namesOf(name: string, namespace: string, from: string): string[] {
  const all = [`${name}.${namespace}.svc.cluster.local`, `${name}.${namespace}.svc`, `${name}.${namespace}`];
  return namespace === from ? [...all, name] : all;
}

function behind(service: Service, slices: readonly EndpointSlice[]): { address: string; hostname?: string }[] {
  const endpoints = slices.filter(({ addressType }) => addressType === "IPv4")
    .flatMap(({ endpoints }) => endpoints ?? []);
  const chosen = service.spec.publishNotReadyAddresses ? endpoints : usable(endpoints);
  return chosen.flatMap(({ addresses, hostname }) =>
    addresses.map((address) => ({ address, ...(hostname === undefined ? {} : { hostname }) }))
  ).sort((a, b) => a.address < b.address ? -1 : 1);
}

function fullName({ metadata }: Service): string {
  return `${metadata.namespace}/${metadata.name}`;
}
