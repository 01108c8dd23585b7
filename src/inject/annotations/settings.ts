import { ENVOY_IMAGE, type ReadyWhen } from "../../api/operator/mod.ts";
import { type Finding, suggest } from "../../base/mod.ts";
import type { ShutdownOptions } from "../options.ts";
import { ANNOTATION_NAMES, type AnnotationName, FORGOTTEN_NAMES, PREFIX } from "./names.ts";
import { readPorts, type SidecarPort } from "./ports.ts";
import { AnnotationReader } from "./reader.ts";
import { readResources } from "./resources.ts";

/** What the annotations of a pod ask for, every default filled in. */
export interface SidecarSettings {
  readonly mode: "container" | "native";
  readonly nodeId: string;
  readonly clusterId: string;
  readonly containerName: string;
  readonly image: string;
  readonly ports: readonly SidecarPort[];
  readonly extraArgs: readonly string[];
  readonly volumes: { readonly tls: string; readonly bootstrap: string };
  /** `undefined`: what the discovery service knows Envoys of this node id by. */
  readonly clientSecret: string | undefined;
  /** `undefined`: the only one of the namespace. */
  readonly discoveryService: string | undefined;
  /** Without an address the interface listens within the pod only. */
  readonly admin: { readonly address: string | undefined; readonly port: number; readonly accessLogPath: string };
  readonly readyWhen: ReadyWhen;
  readonly resources: Readonly<Record<string, unknown>>;
  readonly initImage: string;
  readonly shutdown: ShutdownOptions | undefined;
  /** Containers of the user that are to wait for the drain. */
  readonly hooks: readonly string[];
}

const PORTS = { min: 1024, max: 65535, what: "a port" };
/** A week; whoever drains for longer has forgotten a pod. */
const DRAIN_TIME = { min: 0, max: 604_800, what: "a number of seconds" };

/** As Go reads a boolean. */
const BOOLEANS: Readonly<Record<string, boolean>> = {
  ...{ 1: true, t: true, T: true, TRUE: true, true: true, True: true },
  ...{ 0: false, f: false, F: false, FALSE: false, false: false, False: false },
};

/**
 * Reads the annotations of a pod (spec/operator section 10.4). Everything that is wrong is told at once (C15); the
 * settings count only where
 * no finding is an error. `image` is that of Chancery itself, for its two helpers; `envoyImage` that of Envoy for
 * pods that name none.
 */
export function readSidecarSettings(
  annotations: Readonly<Record<string, unknown>>,
  { image, envoyImage = ENVOY_IMAGE }: { readonly image: string; readonly envoyImage?: string | undefined },
): { settings: SidecarSettings; findings: readonly Finding[] } {
  const reader = new AnnotationReader(annotations);
  const nodeId = reader.raw("node-id");
  if (nodeId === undefined) reader.note("error", "node-id", "is missing: it names the EnvoyConfig that the Envoy gets");
  else if (nodeId.trim() === "") {
    reader.note("error", "node-id", "must not be empty: it names the EnvoyConfig that the Envoy gets");
  }
  reader.choice("envoy-api-version", "v3", ["v3"]);
  const given = (name: AnnotationName, absent: string) =>
    reader.value(name, absent, { read: (text) => text || undefined, expected: "a name or path" });
  const label = (name: AnnotationName, absent: string) =>
    reader.value(name, absent, {
      read: (text) => (/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(text) ? text : undefined),
      expected: "a name of at most 63 lower-case letters, digits and dashes",
    });
  const object = (name: AnnotationName) =>
    reader.value<string | undefined>(name, undefined, {
      read: (text) => (text.length <= 253 && /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/.test(text) ? text : undefined),
      expected: "the name of an object",
    });
  const settings: SidecarSettings = {
    mode: reader.choice("sidecar-mode", "container", ["container", "native"]),
    nodeId: nodeId ?? "",
    clusterId: reader.raw("cluster-id") ?? nodeId ?? "",
    containerName: label("container-name", "envoy-sidecar"),
    image: given("envoy-image", envoyImage),
    ports: readPorts(reader),
    extraArgs: (reader.raw("envoy-extra-args") ?? "").split(/\s+/).filter((word) => word !== ""),
    volumes: {
      tls: label("tls-volume", "envoy-sidecar-tls"),
      bootstrap: label("config-volume", "envoy-sidecar-bootstrap"),
    },
    clientSecret: object("client-certificate"),
    discoveryService: reader.raw("discovery-service.name")?.trim() === ""
      ? undefined
      : object("discovery-service.name"),
    admin: {
      port: reader.integer("admin.port", 9901, PORTS),
      address: reader.value<string | undefined>("admin.bind-address", undefined, {
        read: (text) => (isIpv4(text) ? text : isIpv6(text) ? `[${text}]` : undefined),
        expected: 'an IP address, such as "0.0.0.0"',
      }),
      accessLogPath: given("admin.access-log-path", "/dev/null"),
    },
    readyWhen: reader.choice("readiness", "configured", ["configured", "started"]),
    resources: readResources(reader),
    initImage: given("init-manager.image", image),
    ...readShutdown(reader, { image: given("shutdown-manager.image", image) }),
  };
  if (settings.volumes.tls === settings.volumes.bootstrap) {
    reader.note("error", "tls-volume", `is the same as ${PREFIX}config-volume`);
  }
  if (/^(127\.|\[::1\]$)/.test(settings.admin.address ?? "")) {
    const message = "keeps the probes of the kubelet out, so that the pod does not become ready";
    reader.note("warning", "admin.bind-address", message);
  }
  if (settings.shutdown?.port === settings.admin.port) {
    reader.note("error", "shutdown-manager.port", `${settings.admin.port} is the port of Envoy's admin interface`);
  }
  return { settings, findings: [...reader.findings, ...unknownNames(annotations)] };
}

function readShutdown(
  reader: AnnotationReader,
  { image }: { image: string },
): Pick<SidecarSettings, "shutdown" | "hooks"> {
  const enabled = reader.value("shutdown-manager.enabled", false, {
    read: (text) => (Object.hasOwn(BOOLEANS, text) ? BOOLEANS[text] : undefined),
    expected: '"true" or "false"',
  });
  // Read also where there is none, so that a mistake does not wait until there is one.
  const shutdown: ShutdownOptions = {
    image,
    port: reader.integer("shutdown-manager.port", 8090, PORTS),
    drainSeconds: reader.integer("shutdown-manager.drain-time", 300, DRAIN_TIME),
    strategy: reader.choice("shutdown-manager.drain-strategy", "gradual", ["gradual", "immediate"]),
  };
  const hooks = reader.list("shutdown-manager.extra-lifecycle-hooks").filter((name) => name !== "");
  if (enabled) return { shutdown, hooks: [...new Set(hooks)] };
  if (hooks.length > 0) {
    const name = "shutdown-manager.extra-lifecycle-hooks";
    reader.note("warning", name, `has no effect without ${PREFIX}shutdown-manager.enabled`);
  }
  return { shutdown: undefined, hooks: [] };
}

function unknownNames(annotations: Readonly<Record<string, unknown>>): Finding[] {
  const known: readonly string[] = [...ANNOTATION_NAMES, ...FORGOTTEN_NAMES];
  return Object.keys(annotations)
    .filter((key) => key.startsWith(PREFIX) && !known.includes(key.slice(PREFIX.length)))
    .map((key) => {
      const near = suggest(key.slice(PREFIX.length, PREFIX.length + 100), ANNOTATION_NAMES);
      return {
        severity: "warning",
        path: ["metadata", "annotations", key],
        message: "is no annotation of a sidecar and has no effect",
        rule: "unknown-annotation",
        ...(near === undefined ? {} : { suggestion: `${PREFIX}${near}` }),
      };
    });
}

function isIpv4(text: string): boolean {
  return /^\d{1,3}(\.\d{1,3}){3}$/.test(text) && text.split(".").every((part) => Number(part) <= 255);
}

function isIpv6(text: string): boolean {
  return /^[\da-f:.]*:[\da-f:.]*$/i.test(text) && URL.canParse(`http://[${text}]/`);
}
