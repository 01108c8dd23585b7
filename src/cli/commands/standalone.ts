import { defineCommand } from "../command.ts";
import { LOG_OPTIONS } from "../options/process.ts";
import { ADMIN_HOST_OPTIONS, SERVING_OPTIONS } from "../options/serving.ts";
import { ADMIN_ADDRESS } from "../source/connection.ts";
import { ENVOY_API, VERSION } from "../version.ts";

export const command = defineCommand({
  summary: "Serve a directory of YAML to Envoys, without Kubernetes",
  description:
    "Reads EnvoyConfigs and the Secrets and EndpointSlices that they name from a directory, serves them over xDS, " +
    "and follows every change. What was served last is kept under --data and survives a broken file, a crash and a restart.\n\n" +
    "SIGHUP reads the directory again; SIGTERM and SIGINT drain and end; a second signal ends at once.",
  options: {
    config: { type: "path", value: "DIR", required: true, help: "Directory of YAML or JSON manifests" },
    data: { type: "path", value: "DIR", required: true, help: "Directory of the store; one process at a time" },
    xdsBind: { type: "listen", default: "127.0.0.1:18000", help: "Where Envoys connect: HOST:PORT or unix:PATH" },
    adminBind: {
      type: "listen",
      default: ADMIN_ADDRESS,
      help: "Where /healthz, /readyz, /metrics and /status answer",
    },
    ...ADMIN_HOST_OPTIONS,
    tlsCert: { type: "path", value: "FILE", help: "Certificate of the xDS server, PEM, reloaded when it changes" },
    tlsKey: { type: "path", value: "FILE", help: "Its private key" },
    tlsCa: { type: "path", value: "FILE", help: "CA that the certificates of Envoys must be issued by" },
    insecureXds: {
      type: "flag",
      help: "Allow plain text beyond this machine: anybody can read the secrets that are served",
    },
    allowEmpty: {
      type: "flag",
      help: "An empty directory is meant: remove everything (else it counts as a failed mount)",
    },
    ...SERVING_OPTIONS,
    withEnvoy: {
      type: "path",
      bare: "envoy",
      help: "Show what is wanted to a real Envoy, too, and tell what it says: the one at PATH, or envoy in $PATH",
      env: false,
    },
    ...LOG_OPTIONS,
  },
  examples: [
    {
      run: "chancery standalone --config ./envoy --data ./.chancery",
      does: "Serve ./envoy to Envoys on this machine (chancery bootstrap --node-id ID starts one)",
    },
    {
      run: "chancery standalone --config /etc/chancery --data /var/lib/chancery --xds-bind 0.0.0.0:18000 \\\n" +
        "    --tls-cert tls.crt --tls-key tls.key --tls-ca ca.crt",
      does: "Serve other machines, by mutual TLS",
    },
  ],
  async run(values, context) {
    const { runStandalone } = await import("../../app/standalone/mod.ts");
    return await runStandalone(values, { ...context, version: VERSION, envoyApi: ENVOY_API });
  },
});
