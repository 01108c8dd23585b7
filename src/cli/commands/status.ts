import { defineCommand } from "../command.ts";
import { UsageError } from "../exit_code.ts";
import { outputOption } from "../output.ts";
import { CONNECTION, CONNECTION_HELP } from "../source/connection.ts";

export const command = defineCommand({
  summary: "Show what is wanted and served, and what Envoys say",
  description:
    "A line per EnvoyConfig: the version of its spec (DESIRED), the version that is served (PUBLISHED), and how many of the " +
    "connected Envoys have accepted that (CLIENTS). Below each line that is not as it should be stands why, in Envoy's own " +
    "words or with file and line, and what to type next.\n\n" +
    CONNECTION_HELP + "\n\n" +
    "chancery status pods [NAME...] tells which pods of a cluster run an old image, bootstrap or injection: each sidecar is compared " +
    "with what the webhook that is installed would put into the same pod now, by the rules of this version of Chancery, and the " +
    "pods of EnvoyDeployments and discovery services with their templates and the images of the operator. Resources and security " +
    "contexts are left out, since platforms rewrite them. It needs to list pods and what they belong to, and to look at the " +
    "webhook configurations and the Deployments beside them; --image saves the latter.",
  arguments: [{
    name: "name",
    help: "NAME or NAMESPACE/NAME; all EnvoyConfigs without it; or pods, and names of pods",
    repeated: true,
    optional: true,
    words: ["pods"],
    listedBy: "chancery status -o name",
  }],
  options: {
    ...CONNECTION,
    namespace: {
      type: "text",
      value: "NAMESPACE",
      short: "n",
      help: "Only this namespace; without it all that a standalone has, in a cluster that of the context",
    },
    allNamespaces: {
      type: "flag",
      short: "A",
      help: "All namespaces, also when one is set in the environment or the context",
      env: false,
    },
    selector: {
      type: "text",
      value: "LABELS",
      short: "l",
      help:
        "Only EnvoyConfigs, or pods, with these labels: KEY=VALUE, KEY!=VALUE, KEY in (A,B), KEY notin (A,B), KEY, !KEY",
      env: false,
    },
    output: outputOption(["text", "wide", "json", "yaml", "name"]),
    watch: { type: "flag", short: "w", help: "Go on, and print what changes", env: false },
    exitCode: { type: "flag", help: "End with 1 when something is not in sync, or a pod is old", env: false },
    image: {
      type: "text",
      value: "IMAGE",
      env: false,
      help: "For pods: the image of Chancery that they would get now, instead of looking what is installed",
    },
    envoyImage: {
      type: "text",
      value: "IMAGE",
      env: false,
      help: "For pods: the image of Envoy of those that name none, instead of the one that is installed",
    },
  },
  examples: [
    { run: "chancery status", does: "Everything that the standalone on this machine serves" },
    { run: "chancery status -A --context prod", does: "Everything in the cluster of a context" },
    {
      run: "chancery status default/edge -o wide -w",
      does: "One EnvoyConfig, with streams and versions of Envoy, as it changes",
    },
    {
      run: "until chancery status --exit-code >/dev/null; do sleep 1; done",
      does: "Wait until every Envoy has accepted what is wanted",
    },
    { run: "chancery status pods -A", does: "Which pods run an old injection, bootstrap or image" },
    { run: "chancery status pods -n shop -l app=web --exit-code", does: "Whether a rollout has renewed them all" },
    { run: "chancery status -o json | jq '.items[] | select(.inSync | not) | .name'", does: "For a script" },
  ],
  async run(values, context, words) {
    if (words[0] === "pods") {
      const { statusPods } = await import("../status/pods/mod.ts");
      return await statusPods(values, context, words.slice(1));
    }
    const { image, envoyImage } = values;
    if (image !== undefined || envoyImage !== undefined) {
      throw new UsageError("Cannot use --image or --envoy-image: they are for chancery status pods alone");
    }
    const [{ openSource }, { runStatus }] = await Promise.all([
      import("../source/open_source.ts"),
      import("../status/run.ts"),
    ]);
    await using source = await openSource(values, context);
    return await runStatus(values, { source, context, words });
  },
});
