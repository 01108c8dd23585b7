import { defineCommand } from "../command.ts";
import { EXIT } from "../exit_code.ts";

export const command = defineCommand({
  summary: "Print the CustomResourceDefinitions of all our kinds",
  description:
    "They are those of MARIN3R, with stricter schemas: objects that are stored stay usable. Server-side apply keeps " +
    "large ones out of an annotation that has no room for them.",
  arguments: [{
    name: "kind",
    help: "Kind, plural or short name, such as envoyconfig or ec; all kinds when absent",
    repeated: true,
    optional: true,
    listedBy: "chancery crd -o name",
  }],
  options: {
    output: {
      type: "choice",
      choices: ["yaml", "json", "name"],
      default: "yaml",
      short: "o",
      help: "Form of the answer; name prints what may be asked for",
      env: false,
    },
  },
  examples: [
    { run: "chancery crd | kubectl apply --server-side -f -", does: "Install or update all of them" },
    { run: "chancery crd ec ecr > crds.yaml", does: "Those that a discovery service needs" },
    { run: "chancery crd envoyconfig -o json | jq '.spec.versions[0].schema'", does: "For a script" },
  ],
  async run({ output }, context, words) {
    const { crdOf } = await import("../../api/mod.ts");
    const { KINDS } = await import("../../api/kinds/mod.ts");
    const { selectKinds } = await import("../crd/select_kinds.ts");
    const kinds = selectKinds(KINDS, words);
    if (output === "name") {
      context.out(kinds.map(({ singular }) => `${singular}\n`).join(""));
      return EXIT.ok;
    }
    const documents = kinds.map((kind) => crdOf(kind));
    if (output === "json") {
      const [only] = documents;
      const answer = documents.length === 1 ? only : { apiVersion: "v1", kind: "List", items: documents };
      context.out(`${JSON.stringify(answer, null, 2)}\n`);
    } else {
      const { stringifyYaml } = await import("../../base/yaml/mod.ts");
      context.out(documents.map((document) => stringifyYaml(document)).join("---\n"));
    }
    return EXIT.ok;
  },
});
