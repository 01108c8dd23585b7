import { defineCommand } from "../command.ts";
import { outputOption } from "../output.ts";
import { CONNECTION, CONNECTION_HELP, NAMESPACE_HELP } from "../source/connection.ts";

export const command = defineCommand({
  summary: "Hold an earlier version, or try again what Envoys refused",
  description:
    "Without an option, the version that was served before this one is held, and while one is held, it stays; --to names " +
    "another (chancery history lists them; a beginning is enough). It is served until the spec is changed, or until --retry. With --retry the version of " +
    "the spec is served again, although Envoys refused it.\n\n" +
    "Waits for what the Envoys say. Exit status: 3 when they refuse, 4 when --timeout is over. Of a standalone it needs the " +
    "socket of the data directory, since the admin interface only reads; in a cluster the permission to patch EnvoyConfigs.\n\n" +
    CONNECTION_HELP,
  arguments: [{ name: "name", help: "NAME or NAMESPACE/NAME", listedBy: "chancery status -o name" }],
  options: {
    to: { type: "text", value: "VERSION", help: "Version to hold", env: false },
    retry: { type: "flag", help: "Try the version of the spec again, and end a hold", env: false },
    timeout: { type: "duration", default: "60s", help: "How long to wait for the Envoys; 0 does not wait", env: false },
    ...CONNECTION,
    namespace: { type: "text", value: "NAMESPACE", short: "n", help: NAMESPACE_HELP },
    output: outputOption(["text", "json", "yaml"]),
  },
  examples: [
    { run: "chancery rollback edge --data /var/lib/chancery", does: "Back to what was served before" },
    {
      run: "chancery rollback edge --to n7k3mdkq2a --data /var/lib/chancery",
      does: "To a version of chancery history",
    },
    { run: "chancery rollback edge --retry --data /var/lib/chancery", does: "Forward again, to what the spec says" },
    { run: "chancery rollback shop -n demo --context prod", does: "Back, in a cluster" },
  ],
  async run(values, context, words) {
    const [{ openSource }, { runRollback }] = await Promise.all([
      import("../source/open_source.ts"),
      import("../rollback/run.ts"),
    ]);
    await using source = await openSource(values, context);
    return await runRollback(values, { source, context, words });
  },
});
