import { defineCommand } from "../command.ts";
import { LOG_OPTIONS, PROCESS_OPTIONS } from "../options/process.ts";

const ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount";

export const command = defineCommand({
  summary: "Write ConfigMaps to files that Envoy reads",
  description:
    "Runs beside an Envoy that reads its configuration from files: every key of the ConfigMaps becomes a file, replaced so that " +
    "Envoy notices, users of a resource after what they use. Content is checked first; a bad file never replaces a good one. " +
    "It needs the rights to get and watch the ConfigMaps that are named, and no others.\n\n" +
    "Exit status: 0 as wished · 1 a file is not fit for Envoy, or a dry run would change something · 2 wrong usage · 3 Envoy " +
    "refused (--onetime --envoy-admin) · 5 an object is missing · 6 forbidden · 7 the API server cannot be asked · 8 the " +
    "output cannot be written. Options may be written with one dash, too.",
  oneDash: true,
  options: {
    apiserver: {
      type: "text",
      value: "URL",
      help: "The API server; that of the pod, or https://kubernetes, when absent",
    },
    namespace: {
      type: "text",
      value: "NAME",
      env: "NS",
      help: "Namespace of the objects; $POD_NAMESPACE, or that of the pod, when absent",
    },
    configmap: {
      type: "text",
      value: "NAME",
      list: true,
      help: "ConfigMap to load: [NAMESPACE/]NAME[=FOLDER], its files below FOLDER of the output",
    },
    secret: {
      type: "text",
      value: "NAME",
      list: true,
      help: "Secret to load, in the same way; its files are not for others",
    },
    selector: {
      type: "text",
      value: "LABELS",
      help: "Load all ConfigMaps with these labels, too; needs the right to list",
    },
    from: { type: "path", value: "DIR", help: "Load a directory, without Kubernetes" },
    tokenFile: {
      type: "path",
      value: "FILE",
      default: `${ACCOUNT}/token`,
      help: "Bearer token, read for each request",
    },
    caFile: {
      type: "path",
      value: "FILE",
      default: `${ACCOUNT}/ca.crt`,
      help: "CA of the API server, read when it changes",
    },
    insecure: { type: "flag", help: "Take the API server's certificate when --ca-file does not vouch for it, too" },
    onetime: { type: "flag", help: "Load once and end" },
    syncInterval: { type: "duration", default: "1m0s", help: "How often everything is read anew" },
    watch: { type: "flag", help: "Follow changes at once" },
    dryRun: { type: "flag", help: "Print what would change as a diff, and write nothing" },
    outputDir: {
      type: "path",
      value: "DIR",
      default: "/srv/runtime",
      help: "Where current/ is made, which Envoy reads",
    },
    layout: {
      type: "choice",
      choices: ["files", "atomic", "runtime"],
      default: "files",
      help: "files: a rename per file; atomic: all at once by a symbolic link (watched_directory: the output); " +
        "runtime: the same for Envoy's disk_layer, content unchecked",
    },
    runtimeLayout: { type: "flag", help: "The same as --layout runtime" },
    fileMode: {
      type: "text",
      value: "MODE",
      default: "0644",
      help: "Permissions of files; of directories with x beside r",
    },
    allowEmpty: {
      type: "flag",
      help: "A file without resources, or an empty directory, is meant (else it counts as a mistake)",
    },
    removalDelay: {
      type: "duration",
      default: "60s",
      help: "How long a removed cluster stays for listeners and routes that changed with it",
    },
    envoyAdmin: {
      type: "text",
      value: "URL",
      help: "Admin interface of the Envoy, to tell what it accepted or refused",
    },
    metricsBindAddress: { ...PROCESS_OPTIONS.metricsBindAddress, default: "0" },
    healthProbeBindAddress: { ...PROCESS_OPTIONS.healthProbeBindAddress, default: "0" },
    ...LOG_OPTIONS,
  },
  examples: [
    {
      run: "chancery loader --configmap envoy-xds --watch --health-probe-bind-address :8090",
      does: "In a pod, as a native sidecar before Envoy: files in /srv/runtime/current",
    },
    {
      run: "chancery loader -namespace shop -configmap envoy-xds -onetime -insecure",
      does: "As an init container of an older chart",
    },
    {
      run: "chancery loader --from ./xds --output-dir /tmp/envoy --watch --envoy-admin http://127.0.0.1:9901",
      does: "On a laptop, without Kubernetes",
    },
    {
      run: "chancery loader --configmap envoy-xds --namespace shop --apiserver http://127.0.0.1:8001 --dry-run",
      does: "What would change, through kubectl proxy",
    },
  ],
  async run(values, context) {
    const { runLoader } = await import("../../agent/loader/mod.ts");
    return await runLoader(values, {
      ...context,
      show: async (plan, present) => {
        const { changesText } = await import(
          "../loader/changes_text.ts" as string
        ) as typeof import("../loader/changes_text.ts");
        const text = changesText(plan, present);
        context.out(text);
        return plan.steps.length > 0;
      },
    });
  },
});
