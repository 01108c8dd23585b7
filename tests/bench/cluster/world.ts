import {
  edsCluster,
  endpoints,
  envoyConfig,
  type Fields,
  listener,
  route,
  staticCluster,
  tlsSecretItem,
} from "../../envoy/harness/mod.ts";

/** How much there is. */
export interface WorldSize {
  readonly configs: number;
  readonly secrets: number;
}

/** `node-0007`, which is also the name of its EnvoyConfig. */
export function nodeOf(index: number): string {
  return `node-${String(index).padStart(4, "0")}`;
}

/** The Secret that a node's certificate comes from; several nodes share it. */
export function secretOf(index: number, { secrets }: WorldSize): string {
  return `certificate-${String(index % secrets).padStart(3, "0")}`;
}

/** What a node asks for by name. */
export function namesOf(index: number, size: WorldSize): { EDS: string[]; RDS: string[]; SDS: string[] } {
  return { EDS: ["eds-0", "eds-1"], RDS: ["routes-0", "routes-1"], SDS: [secretOf(index, size)] };
}

/** An EnvoyConfig with four clusters, two of them with endpoints apart, two routes, a listener and a secret; `mark` shows in one cluster. */
export function configOf(index: number, size: WorldSize, mark: string): Fields {
  const { EDS, RDS, SDS: [secret = ""] } = namesOf(index, size);
  const items = [
    staticCluster("static-0", [8080], { alt_stat_name: mark }),
    staticCluster("static-1", [8081]),
    ...EDS.flatMap((name) => [edsCluster(name), endpoints(name, [8082, 8083])]),
    ...RDS.map((name, i) => route(name, { cluster: EDS[i] ?? name })),
    listener("in", { port: 8443, routes: { rds: RDS[0] ?? "" }, certificate: secret }),
    tlsSecretItem(secret),
  ];
  return envoyConfig(nodeOf(index), items);
}
