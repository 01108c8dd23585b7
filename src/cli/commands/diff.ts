import { defineCommand } from "../command.ts";
import { outputOption } from "../output.ts";
import { CONNECTION, CONNECTION_HELP } from "../source/connection.ts";

export const command = defineCommand({
  summary: "Compare manifests with what is served, resource by resource",
  description:
    "Makes of the files what would be served, and prints what would change as unified YAML. Secrets are redacted: that one " +
    "differs is told, not how. What is made of Secrets and EndpointSlices that are not among the files is not compared.\n\n" +
    "Exit status: 0 the same, 1 different, 2 when a file cannot be read or the server cannot be asked.\n\n" +
    CONNECTION_HELP,
  arguments: [{
    name: "path",
    help: "File, directory (recursively), or - for standard input; YAML or JSON",
    repeated: true,
  }],
  options: {
    ...CONNECTION,
    namespace: {
      type: "text",
      value: "NAMESPACE",
      short: "n",
      help: "Namespace of objects that name none; default when absent, in a cluster that of the context",
    },
    output: outputOption(["text", "json", "yaml"]),
  },
  examples: [
    { run: "chancery diff ./envoy", does: "What would change if ./envoy were served" },
    { run: "helm template . | chancery diff - --context prod", does: "What a chart would change in a cluster" },
    { run: "chancery diff edge.yaml -o json | jq -r '.items[].changes[].name'", does: "For a script" },
  ],
  async run(values, context, words) {
    const [{ openSource }, { runDiff }] = await Promise.all([
      import("../source/open_source.ts"),
      import("../diff/run.ts"),
    ]);
    await using source = await openSource(values, context);
    return await runDiff(values, { source, context, words });
  },
});
