import { defineCommand } from "../command.ts";
import { KUBERNETES_OPTIONS } from "../options/kubernetes.ts";
import { outputOption } from "../output.ts";

export const command = defineCommand({
  summary: "Say what becomes of what MARIN3R left, or how to go back",
  description:
    "Reads a cluster, or manifests, and says what has to be done before Chancery is installed, what will be otherwise then, and " +
    "what stays; each with what to type. Nothing is changed. It knows what MARIN3R, the Operator Lifecycle Manager and " +
    "l7mp-xds-operator leave. Never delete the old installation by its manifests: with its CRDs every EnvoyConfig would go.\n\n" +
    "With --back it says the same of the way back to MARIN3R: what its operator would not find as it expects it, what its CRDs " +
    "drop, and which pods have to be made anew.\n\n" +
    "Exit status: 0 when nothing stands in the way, 1 when something has to be done first, 2 when it cannot be found out.",
  arguments: [{
    name: "path",
    help: "Manifests instead of the cluster: file, directory (recursively), or - for standard input",
    repeated: true,
    optional: true,
  }],
  options: {
    ...KUBERNETES_OPTIONS,
    check: { type: "flag", env: false, help: "Only look, which is all it does; for scripts that want to say so" },
    back: { type: "flag", env: false, help: "Say how to go back to MARIN3R" },
    output: outputOption(["text", "json", "yaml"]),
  },
  examples: [
    { run: "chancery migrate --check", does: "The cluster of the present context" },
    { run: "chancery migrate --check ./manifests", does: "Manifests, before they are applied to another cluster" },
    { run: "chancery migrate --check --back", does: "Before MARIN3R is installed again" },
    { run: "chancery migrate --check -o json | jq -r '.remarks[].next // empty'", does: "What to type, for a script" },
  ],
  async run(values, context, paths) {
    const { runMigrate } = await import("../migrate/run.ts");
    return await runMigrate(values, context, paths);
  },
});
