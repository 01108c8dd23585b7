import { defineCommand } from "../command.ts";
import { EXIT } from "../exit_code.ts";

export const command = defineCommand({
  summary: "Tell all that is wrong with manifests, offline",
  description:
    "Looks at EnvoyConfigs, VirtualServices and the operator's kinds, and at the Secrets, EndpointSlices and Pods among the files that they " +
    "are about, as one whole. The Secret of a DiscoveryServiceCertificate and the EndpointSlices of a Service among the files count as given, " +
    "since a cluster makes them. Objects of other kinds are skipped and counted. All findings of all files come in one run, each with its " +
    "place, the value, and what was probably meant. Nothing is asked of a server.\n\n" +
    "Exit status: 0 also with warnings (unless --strict), 1 with errors, 2 when something cannot be read.",
  arguments: [{
    name: "path",
    help: "File, directory (recursively), or - for standard input; YAML or JSON",
    repeated: true,
  }],
  options: {
    format: {
      type: "choice",
      choices: ["text", "json"],
      default: "text",
      help: "Form of the answer; in JSON every finding has every field",
      env: false,
    },
    strict: {
      type: "flag",
      help: "Warnings count, and a reference to something that no file has is an error",
      env: false,
    },
    extraDescriptors: {
      type: "path",
      value: "FILE",
      list: true,
      help: "Types of your own extensions: a FileDescriptorSet of protoc --include_imports or buf build",
    },
    withEnvoy: {
      type: "path",
      bare: "envoy",
      help: "Ask a real Envoy, too: the one at PATH, or envoy in $PATH",
      env: false,
    },
  },
  examples: [
    { run: "chancery validate ./envoy", does: "All manifests below ./envoy" },
    { run: "helm template . | chancery validate --strict -", does: "What a chart gives, in a pipeline" },
    {
      run: "chancery validate --format json edge.yaml | jq -r '.findings[] | .pathText'",
      does: "For a script",
    },
    { run: "chancery validate --with-envoy ./envoy", does: "With the opinion of the Envoy in $PATH" },
  ],
  async run({ format, strict, extraDescriptors, withEnvoy }, context, paths) {
    const { runValidate } = await import("../../app/validate/mod.ts");
    const { progressLine } = await import("../validate/progress.ts");
    const progress = context.terminal.err ? progressLine((text) => context.err(text)) : undefined;
    const report = await runValidate({
      paths,
      strict,
      extraDescriptors,
      envoy: withEnvoy,
      env: (name) => context.env(name),
      ...(progress ? { onProgress: (done, total) => progress.show(done, total) } : {}),
    }).finally(() => progress?.end());
    if (format === "json") {
      const { reportJson } = await import("../validate/report_json.ts");
      context.out(`${JSON.stringify(reportJson(report), null, 2)}\n`);
    } else {
      const { reportText } = await import("../validate/report_text.ts");
      context.out(reportText(report, { color: context.color.out, strict, paths }));
    }
    if (report.unreadable.length > 0) return EXIT.usage;
    return report.errors > 0 || (strict && report.warnings > 0) ? EXIT.differs : EXIT.ok;
  },
});
