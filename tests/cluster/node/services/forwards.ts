import { type Endpoint, type EndpointSlice, type Service, SERVICE_NAME } from "./service.ts";

/** What the proxy does for one port of one Service. */
export interface Forward {
  /** The Service's address. */
  readonly address: string;
  readonly port: number;
  /** `HOST:PORT` of each Pod that may be asked. */
  readonly targets: readonly string[];
}

/** Inputs of {@linkcode forwards}. */
export interface ForwardInputs {
  readonly services: Iterable<Service>;
  readonly slices: Iterable<EndpointSlice>;
  /** `HOST:PORT` at which Pods reach the API server, which stands behind the Service `kubernetes`. */
  readonly apiServer: string;
}

/** What the proxy has to do: each TCP port of each Service that has an address, with the Pods behind it. */
export function forwards({ services, slices, apiServer }: ForwardInputs): Forward[] {
  const byService = slicesByService(slices);
  return [...services].filter(({ spec }) => hasAddress(spec.clusterIP)).flatMap((service) => {
    const { metadata, spec } = service;
    const own = byService.get(`${metadata.namespace}/${metadata.name}`) ?? [];
    return (spec.ports ?? []).filter(({ protocol = "TCP" }) => protocol === "TCP").map((port): Forward => ({
      address: spec.clusterIP ?? "",
      port: port.port,
      targets: isApiServer(service) ? [apiServer] : targets(own, port.name ?? "").sort(),
    }));
  });
}

/** The slices of each Service by `NAMESPACE/NAME`. */
export function slicesByService(slices: Iterable<EndpointSlice>): Map<string, EndpointSlice[]> {
  return Map.groupBy(slices, ({ metadata }) => `${metadata.namespace}/${metadata.labels?.[SERVICE_NAME] ?? ""}`);
}

/** Those who may be asked: the ready ones, or else those that still serve while they end, as kube-proxy does. */
export function usable(endpoints: readonly Endpoint[]): Endpoint[] {
  const ready = endpoints.filter(({ conditions }) => conditions?.ready !== false);
  if (ready.length > 0) return ready;
  return endpoints.filter(({ conditions }) => conditions?.serving && conditions.terminating);
}

/** Whether a Service has an address of its own. */
export function hasAddress(clusterIP: string | undefined): clusterIP is string {
  return clusterIP !== undefined && clusterIP !== "" && clusterIP !== "None";
}

function targets(slices: readonly EndpointSlice[], portName: string): string[] {
  const known = slices.filter(({ addressType }) => addressType === "IPv4").flatMap((slice) => {
    const port = slice.ports?.find(({ name = "", protocol = "TCP" }) => name === portName && protocol === "TCP")?.port;
    return port === undefined ? [] : (slice.endpoints ?? []).map((endpoint) => ({ endpoint, port }));
  });
  const chosen = new Set(usable(known.map(({ endpoint }) => endpoint)));
  return known.filter(({ endpoint }) => chosen.has(endpoint))
    .flatMap(({ endpoint, port }) => endpoint.addresses.map((address) => `${address}:${port}`));
}

function isApiServer({ metadata }: Service): boolean {
  return metadata.namespace === "default" && metadata.name === "kubernetes";
}
