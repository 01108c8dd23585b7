import { dirname, join, resolve } from "node:path";
import { ChanceryError, errorMessage, type Json } from "../../base/mod.ts";
import { type BootstrapFile, buildBootstrap, parseAddress } from "../../bootstrap/mod.ts";
import { type CliContext, defineCommand } from "../command.ts";
import { EXIT } from "../exit_code.ts";

export const command = defineCommand({
  summary: "Print the configuration that an Envoy starts from",
  description: "Everything else the Envoy gets over xDS. With --tls-dir two small SDS files are written beside " +
    "the certificates, because Envoy reads certificates again only when they come through SDS.",
  options: {
    nodeId: { type: "text", value: "ID", required: true, help: "Node id: spec.nodeID of the EnvoyConfig to get" },
    cluster: { type: "text", value: "NAME", help: "Service cluster of the node; the node id when absent" },
    pod: {
      type: "text",
      value: "NAMESPACE/NAME",
      help: "Say that this is the Envoy of a pod: it gets the VirtualServices that select the pod, too",
    },
    labels: {
      type: "text",
      value: "KEY=VALUE,...",
      help:
        "Where no pods are known, say which labels the Envoy has: it gets the VirtualServices that select them, too",
    },
    xdsAddress: {
      type: "address",
      list: true,
      default: "127.0.0.1:18000",
      help: "HOST:PORT or unix:PATH of the xDS server; several are tried in turn",
    },
    mode: {
      type: "choice",
      choices: ["delta", "sotw"],
      default: "delta",
      help: "Ask for differences, or for the state of the world each time",
    },
    tlsDir: { type: "path", value: "DIR", help: "Mutual TLS with tls.crt, tls.key and ca.crt of this directory" },
    sdsDir: { type: "path", value: "DIR", help: "Where the SDS files are written, when not beside the certificates" },
    serverName: {
      type: "text",
      value: "NAME",
      help: "Name in the server's certificate, when not the host of the address",
    },
    adminAddress: {
      type: "text",
      value: "ADDRESS",
      default: "127.0.0.1:9901",
      help: "Address of Envoy's admin interface, or none",
    },
    runtimeLayer: {
      type: "text",
      value: "NAME",
      default: "runtime",
      help: "Runtime layer filled by the EnvoyConfig's runtime item of this name, or none",
    },
    format: { type: "choice", choices: ["json", "yaml"], default: "json", help: "JSON is read by Envoy as YAML, too" },
  },
  examples: [
    {
      run: "chancery bootstrap --node-id edge > edge.json && envoy -c edge.json",
      does: "An Envoy that is served by a standalone on the same machine",
    },
    {
      run: "chancery bootstrap --node-id edge --xds-address xds-1:18000,xds-2:18000 --tls-dir /etc/envoy/tls",
      does: "Two servers, mutual TLS, certificates reloaded when they change",
    },
    {
      run: "chancery bootstrap --node-id ingress-1 --labels app=envoy-ingress",
      does: "An Envoy that a standalone gives the VirtualServices for app=envoy-ingress",
    },
  ],
  async run(values, context) {
    const metadata = nodeMetadata(values);
    const { bootstrap, files } = buildBootstrap({
      nodeId: values.nodeId,
      ...(metadata && { metadata }),
      xds: values.xdsAddress,
      mode: values.mode,
      runtimeLayer: values.runtimeLayer === "none" ? null : values.runtimeLayer,
      ...(values.cluster !== undefined && { cluster: values.cluster }),
      ...(values.adminAddress !== "none" && { admin: parseAddress(values.adminAddress, { anyPort: true }) }),
      ...(values.tlsDir !== undefined && {
        tls: {
          dir: resolve(values.tlsDir),
          ...(values.sdsDir !== undefined && { sdsDir: resolve(values.sdsDir) }),
          ...(values.serverName !== undefined && { serverName: values.serverName }),
        },
      }),
    });
    for (const file of files) await writeIfChanged(file);
    if (values.tlsDir !== undefined) await warnOfMissing(resolve(values.tlsDir), context);
    if (values.format === "yaml") {
      const { stringifyYaml } = await import("../../base/yaml/mod.ts");
      context.out(stringifyYaml(bootstrap));
    } else {
      context.out(`${JSON.stringify(bootstrap, null, 2)}\n`);
    }
    return EXIT.ok;
  },
});

/** What the Envoy says of itself besides its node id. */
function nodeMetadata(
  { pod, labels }: { pod: string | undefined; labels: string | undefined },
): Record<string, Json> | undefined {
  if (pod === undefined && labels === undefined) return undefined;
  const metadata: Record<string, Json> = {};
  if (pod !== undefined) {
    const [namespace, name, ...rest] = pod.split("/");
    if (!namespace || !name || rest.length > 0) {
      throw new ChanceryError(
        "invalid-input",
        `Cannot read pod ${JSON.stringify(pod)} (--pod): NAMESPACE/NAME is needed`,
      );
    }
    Object.assign(metadata, { pod_name: name, pod_namespace: namespace });
  }
  if (labels !== undefined) metadata["labels"] = Object.fromEntries(labels.split(",").map(readLabel));
  return metadata;
}

function readLabel(text: string): [string, string] {
  const at = text.indexOf("=");
  if (at > 0) return [text.slice(0, at), text.slice(at + 1)];
  throw new ChanceryError("invalid-input", `Cannot read label ${JSON.stringify(text)} (--labels): KEY=VALUE is needed`);
}

/** Moves the file into place whole: a running Envoy watches its directory for that. */
async function writeIfChanged(file: BootstrapFile): Promise<void> {
  const text = `${JSON.stringify(file.document, null, 2)}\n`;
  if (await Deno.readTextFile(file.path).catch(() => undefined) === text) return;
  const half = join(dirname(file.path), `.${crypto.randomUUID()}.tmp`);
  try {
    await Deno.writeTextFile(half, text);
    await Deno.rename(half, file.path);
  } catch (thrown) {
    await Deno.remove(half).catch(() => {});
    throw new ChanceryError(
      "invalid-input",
      `Cannot write SDS file ${JSON.stringify(file.path)} (another place: --sds-dir): ${errorMessage(thrown)}`,
      { cause: thrown },
    );
  }
}

/** An Envoy that starts while a certificate file is missing does not look for it again. */
async function warnOfMissing(dir: string, context: CliContext): Promise<void> {
  for (const name of ["tls.crt", "tls.key", "ca.crt"]) {
    const path = join(dir, name);
    if (await Deno.stat(path).then(() => false, () => true)) {
      context.err(`warning: ${JSON.stringify(path)} is missing; it must exist before Envoy starts\n`);
    }
  }
}
