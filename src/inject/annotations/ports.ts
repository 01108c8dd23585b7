import { type AnnotationReader, integerBetween, quoted } from "./reader.ts";

/** A port that Envoy's container declares. */
export interface SidecarPort {
  readonly name: string;
  readonly port: number;
  readonly protocol?: string;
  readonly hostPort?: number;
}

const RANGE = { min: 1024, max: 65535 };
const PROTOCOLS = ["TCP", "UDP", "SCTP"];
const PORT = 'NAME:PORT or NAME:PORT:PROTOCOL, such as "envoy-https:8443:TCP"';
const MAPPING = 'NAME:HOSTPORT, such as "envoy-https:8443"';

/** The ports of `ports`, with their ports of the host from `host-port-mappings`. */
export function readPorts(reader: AnnotationReader): SidecarPort[] {
  if (reader.raw("ports")?.trim() === "") reader.refuse("ports", `a list of ${PORT}`);
  const ports: SidecarPort[] = [];
  for (const entry of reader.list("ports")) {
    const port = portOf(entry);
    if (typeof port === "string") reader.refuse("ports", port, entry);
    else if (ports.some(({ name }) => name === port.name)) {
      reader.note("error", "ports", `port name ${quoted(port.name)} is there twice`);
    } else ports.push(port);
  }
  const hostPorts = readHostPorts(reader, ports);
  return ports.map((port) => {
    const hostPort = hostPorts.get(port.name);
    return hostPort === undefined ? port : { ...port, hostPort };
  });
}

/** The port, or what should stand there instead. */
function portOf(entry: string): SidecarPort | string {
  const [name = "", number, protocol, ...more] = entry.split(":").map((field) => field.trim());
  if (number === undefined || more.length > 0) return PORT;
  if (!isPortName(name)) {
    return `${PORT}: a name has at most 15 lower-case letters, digits and single dashes, a letter among them`;
  }
  const port = integerBetween(number, RANGE);
  if (port === undefined) return `${PORT}: a port is ${RANGE.min} to ${RANGE.max}`;
  if (protocol === undefined) return { name, port };
  return PROTOCOLS.includes(protocol) ? { name, port, protocol } : `${PORT}: a protocol is TCP, UDP or SCTP`;
}

function readHostPorts(reader: AnnotationReader, ports: readonly SidecarPort[]): ReadonlyMap<string, number> {
  const mapping = new Map<string, number>();
  if (reader.raw("host-port-mappings")?.trim() === "") reader.refuse("host-port-mappings", `a list of ${MAPPING}`);
  for (const entry of reader.list("host-port-mappings")) {
    const [name = "", number = "", ...more] = entry.split(":").map((field) => field.trim());
    const port = integerBetween(number, RANGE);
    if (more.length > 0 || name === "" || port === undefined) {
      reader.refuse("host-port-mappings", `${MAPPING}: a port is ${RANGE.min} to ${RANGE.max}`, entry);
    } else if (mapping.has(name)) {
      reader.note("error", "host-port-mappings", `port name ${quoted(name)} is there twice`);
    } else {
      mapping.set(name, port);
      // A list that is shared by several pods names ports of others, too.
      if (!ports.some((declared) => declared.name === name)) {
        reader.note("warning", "host-port-mappings", `port name ${quoted(name)} is not in the annotation of the ports`);
      }
    }
  }
  return mapping;
}

/** Whether an API server takes it for the name of a port. */
function isPortName(name: string): boolean {
  return name.length <= 15 && /^[a-z0-9]+(-[a-z0-9]+)*$/.test(name) && /[a-z]/.test(name);
}
