import type { Finding, PathSegment } from "../../base/mod.ts";
import { checkLabels } from "./check_labels.ts";
import type { MeshCluster, MeshEndpoint, MeshListener } from "./spec.ts";

/** In milliseconds: checks that come closer together are more work than use, and one that is late looks like a failed one. */
const USUAL_INTERVAL = 500;

/** What the rules of an entry of `spec.listeners` say that its schema cannot. */
export function checkListener(listener: MeshListener, path: readonly PathSegment[]): Finding[] {
  const { udp, tcp } = listener;
  if ((udp === undefined) === (tcp === undefined)) {
    const message = `exactly one of udp and tcp must be set${udp ? ", not both" : ""}`;
    return [{ severity: "error", path, message, rule: "one-transport" }];
  }
  const findings: Finding[] = [];
  if (udp) findings.push(...checkCluster(udp.cluster, { path: [...path, "udp", "cluster"], protocol: "udp" }));
  if (tcp) findings.push(...checkCluster(tcp.cluster, { path: [...path, "tcp", "cluster"], protocol: "tcp" }));
  return findings;
}

interface Place {
  readonly path: readonly PathSegment[];
  readonly protocol: "udp" | "tcp";
}

function checkCluster(cluster: MeshCluster, place: Place): Finding[] {
  const { hash_key: key, source_ip: bySender, health_check: check, endpoints } = cluster;
  const findings: Finding[] = [];
  const tell = (severity: Finding["severity"], at: readonly PathSegment[], [message, rule]: [string, string]) =>
    findings.push({ severity, path: [...place.path, ...at], message, rule });
  if (bySender && key) tell("error", ["hash_key"], ["only one of hash_key and source_ip may be set", "one-hash"]);
  if (!bySender && key === "") {
    const message = "with an empty hash_key each session goes to an endpoint at random; leave it out or give a key";
    tell("warning", ["hash_key"], [message, "hash-key"]);
  }
  if (check && check.interval < USUAL_INTERVAL) {
    const message = `health checks every ${check.interval} ms are more often than the usual ${USUAL_INTERVAL} ms`;
    tell("warning", ["health_check", "interval"], [message, "interval"]);
  }
  if (endpoints.length === 0) {
    tell("warning", ["endpoints"], ["there are no endpoints, so that whatever comes is dropped", "no-endpoints"]);
  }
  for (const [index, endpoint] of endpoints.entries()) {
    findings.push(...checkEndpoint(endpoint, { ...place, path: [...place.path, "endpoints", index], cluster }));
  }
  return findings;
}

function checkEndpoint(endpoint: MeshEndpoint, place: Place & { readonly cluster: MeshCluster }): Finding[] {
  const { path, protocol, cluster } = place;
  const findings = checkHost(endpoint, place);
  if (cluster.health_check && endpoint.health_check_port === undefined && protocol === "udp") {
    const message = `health checks go to TCP port ${endpoint.port}, since health_check_port is not set`;
    findings.push({ severity: "warning", path, message, rule: "health-check-port" });
  }
  if (!cluster.health_check && endpoint.health_check_port !== undefined) {
    const message = "health_check_port means nothing without health_check";
    findings.push({ severity: "warning", path: [...path, "health_check_port"], message, rule: "unused-field" });
  }
  return findings;
}

function checkHost({ host }: MeshEndpoint, { path, cluster }: { path: readonly PathSegment[]; cluster: MeshCluster }) {
  const at = [...path, "host"];
  const error = (message: string, more: Partial<Finding> = {}): Finding[] => [
    { severity: "error", path: at, message, rule: "host", ...more },
  ];
  const { selector, address } = host ?? {};
  if (selector && address !== undefined) return error("only one of selector and address may be set");
  if (selector) return checkLabels(selector, [...at, "selector"]);
  if (address === undefined) return error("selector or address must be set in host", host ? {} : { path });
  const value = { path: [...at, "address"], value: JSON.stringify(address.slice(0, 60)) };
  if (isIpAddress(address)) return [];
  if (!isDnsName(address)) return error("must be an IP address or a DNS name", value);
  return cluster.service_discovery === "eds"
    ? error("must be an IP address, since eds resolves no names; strictdns does", value)
    : [];
}

function isIpAddress(text: string): boolean {
  if (text.includes(":")) return !/[^\da-f:.]/i.test(text) && URL.canParse(`http://[${text}]/`);
  const parts = text.split(".");
  return parts.length === 4 && parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255);
}

/** As DNS has them; the last label of a name is never a number, so that a mistyped address is none. */
function isDnsName(text: string): boolean {
  const labels = text.replace(/\.$/, "").split(".");
  return text.length <= 253 && !/^\d+$/.test(labels.at(-1) ?? "") &&
    labels.every((label) => /^[A-Za-z0-9_]([\w-]{0,61}[A-Za-z0-9_])?$/.test(label));
}
