import { defineCommand } from "../command.ts";

export const command = defineCommand({
  summary: "Write what the Envoy of a pod is started from",
  description:
    "The init container of every Envoy that the operator or the webhook makes. It writes Envoy's bootstrap, and small files by " +
    "which Envoy reads its certificates again when they change, and ends. Which pod it is comes from $POD_NAME, $POD_NAMESPACE, " +
    "$POD_UID and $HOST_NAME, where it runs from $POD_REGION, $POD_ZONE and $POD_SUB_ZONE; the node id is left to Envoy's own " +
    "flags unless it is given.\n\n" +
    "With --status-bind-address the admin interface can stay on a loopback address: a listener there shows GET /ready, /live and " +
    "/stats of it and nothing else, and /ready fails until Envoy has accepted clusters and listeners once.",
  options: {
    xdssHost: { type: "text", value: "HOST", required: true, help: "Host of the discovery service" },
    xdssPort: { type: "integer", value: "PORT", default: "18000", help: "Its port" },
    mode: {
      type: "choice",
      choices: ["delta", "sotw"],
      default: "delta",
      help: "Ask for differences, or for the state of the world each time",
    },
    nodeId: { type: "text", value: "ID", help: "Node id; --service-node of Envoy when absent" },
    cluster: {
      type: "text",
      value: "NAME",
      help: "Service cluster of the node; --service-cluster of Envoy when absent",
    },
    configFile: {
      type: "path",
      value: "FILE",
      default: "/etc/envoy/bootstrap/config.json",
      help: "What Envoy is started from; it is written",
    },
    resourcesPath: {
      type: "path",
      value: "DIR",
      default: "/etc/envoy/bootstrap",
      help: "Directory of the files by which Envoy reads its certificates again",
    },
    clientCertificatePath: {
      type: "path",
      value: "DIR",
      default: "/etc/envoy/tls/client",
      help: "Directory in which Envoy finds tls.crt and tls.key of its own",
    },
    caCertificateFile: {
      type: "path",
      value: "FILE",
      help: "File in which Envoy finds what to verify the discovery service by; without it, it takes whoever answers",
    },
    caCertificateTimeout: {
      type: "duration",
      default: "60s",
      help: "How long that file may take to hold a certificate; then this ends with 4, and Envoy does not start",
    },
    rtdsResourceName: {
      type: "text",
      value: "NAME",
      default: "runtime",
      help: "Runtime layer, filled by the EnvoyConfig's runtime item of this name",
    },
    adminBindAddress: {
      type: "address",
      default: "0.0.0.0:9901",
      help: "Where Envoy's admin interface answers",
    },
    statusBindAddress: {
      type: "bind",
      help:
        "Where everybody may see /ready, /live and /stats, e.g. :9901; nowhere but on the admin interface when absent",
    },
    readiness: {
      type: "choice",
      choices: ["configured", "started"],
      default: "configured",
      help: "Be ready with the first configuration, however long that takes, or seconds after the start",
    },
    adminAccessLogPath: {
      type: "path",
      value: "FILE",
      default: "/dev/null",
      help: "File in which the admin interface notes its requests",
    },
    apiVersion: { type: "choice", choices: ["v3"], default: "v3", help: "Version of Envoy's API" },
    envoyImage: { type: "text", value: "IMAGE", help: "Image of Envoy, for the metadata of the node" },
  },
  examples: [
    {
      run: "chancery init-manager --xdss-host marin3r-discoveryservice.shop.svc",
      does: "In a pod of one's own, with a client certificate mounted and an emptyDir for the bootstrap",
    },
    {
      run:
        "chancery init-manager --xdss-host xds.shop.svc --ca-certificate-file /etc/envoy/tls/client/ca.crt --node-id edge",
      does: "The discovery service is verified, and Envoy needs no flags but -c",
    },
    {
      run:
        "chancery init-manager --xdss-host xds.shop.svc --admin-bind-address 127.0.0.1:19901 --status-bind-address :9901",
      does: "Probes and scrapers find what they need on port 9901, and nobody outside the pod can change anything",
    },
  ],
  async run(values, context) {
    const { runInitManager } = await import("../../agent/init_manager/mod.ts");
    return await runInitManager(values, context);
  },
});
