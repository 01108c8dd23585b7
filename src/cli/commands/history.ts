import { defineCommand } from "../command.ts";
import { outputOption } from "../output.ts";
import { CONNECTION, CONNECTION_HELP, NAMESPACE_HELP } from "../source/connection.ts";

export const command = defineCommand({
  summary: "List the revisions of an EnvoyConfig",
  description:
    "The newest last. STATE says which one the spec asks for (desired), which one is served (published), which one all " +
    "Envoys accepted last (acknowledged), which one is held (pinned), and which ones Envoys refused (tainted).\n\n" +
    CONNECTION_HELP,
  arguments: [{ name: "name", help: "NAME or NAMESPACE/NAME", listedBy: "chancery status -o name" }],
  options: {
    ...CONNECTION,
    namespace: { type: "text", value: "NAMESPACE", short: "n", help: NAMESPACE_HELP },
    output: outputOption(["text", "wide", "json", "yaml", "name"]),
  },
  examples: [
    { run: "chancery history edge", does: "What was served before, and what Envoys refused" },
    { run: "chancery history shop -n demo --context prod", does: "The same of a cluster" },
    { run: "chancery history demo/shop -o json | jq -r '.items[-1].version'", does: "For a script" },
  ],
  async run(values, context, words) {
    const [{ openSource }, { runHistory }] = await Promise.all([
      import("../source/open_source.ts"),
      import("../history/run.ts"),
    ]);
    await using source = await openSource(values, context);
    return await runHistory(values, { source, context, words });
  },
});
