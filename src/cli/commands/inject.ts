import { ChanceryError, formatFinding, hasErrors } from "../../base/mod.ts";
import { defineCommand } from "../command.ts";
import { EXIT } from "../exit_code.ts";
import { ENVOY_IMAGE_OPTIONS, IMAGE } from "../options/images.ts";

export const command = defineCommand({
  summary: "Give the pods of manifests their sidecars, offline",
  description: "Prints the manifests again, and adds an Envoy to each pod and template of pods with the label " +
    '"marin3r.3scale.net/status: enabled", as its annotations ask for and as the webhook would do it. Everything else ' +
    "stays as it was written, comments included. A pod that has a sidecar is left alone. Nothing is asked of a server.\n\n" +
    "The discovery service is that of the annotation, the one among the manifests, or that of --discovery-service.\n\n" +
    "Exit status: 0 when all is as wished, 1 when something is wrong with the manifests (nothing is printed then), 2 when " +
    "they cannot be read.",
  options: {
    file: {
      type: "path",
      value: "FILE",
      short: "f",
      default: "-",
      env: false,
      help: "File to read, or - for standard input; YAML or JSON",
    },
    image: { ...IMAGE, required: true, help: "Image of this program, for the helpers of the sidecars" },
    ...ENVOY_IMAGE_OPTIONS,
    namespace: {
      type: "text",
      value: "NAME",
      short: "n",
      default: "default",
      env: false,
      help: "Namespace of objects that name none",
    },
    discoveryService: {
      type: "text",
      value: "NAME",
      env: false,
      help: "DiscoveryService of the cluster, for pods that name none",
    },
    verify: {
      type: "flag",
      env: false,
      help:
        "Verify discovery services that are not among the manifests, by the bundle that the operator keeps for them",
    },
  },
  examples: [
    {
      run: "chancery inject -f shop.yaml --image chancery:1.0.0 --discovery-service ds | kubectl apply -f -",
      does: "Instead of the webhook",
    },
    {
      run: "chancery inject -f shop.yaml --image chancery:1.0.0 --discovery-service ds | diff shop.yaml -",
      does: "What the sidecar adds",
    },
    {
      run: "helm template . | chancery inject -n shop --image chancery:1.0.0",
      does: "What a chart gives, its DiscoveryService included",
    },
  ],
  async run({ file, ...options }, context) {
    const { readInputs } = await import("../../app/validate/mod.ts");
    const { injectManifests } = await import("../../app/inject/mod.ts");
    const [input] = await readInputs([file]);
    if (input?.text === undefined) {
      throw new ChanceryError(
        "invalid-input",
        `Cannot read ${JSON.stringify(file)}: ${input?.problem ?? "it is empty"}`,
      );
    }
    const { text, injected, findings } = injectManifests(input.text, { ...options, file: input.name });
    for (const finding of findings) context.err(`${formatFinding(finding)}\n`);
    if (hasErrors(findings)) return EXIT.differs;
    if (injected.length > 0 && context.terminal.err) context.err(`injected: ${injected.join(", ")}\n`);
    if (injected.length === 0 && findings.length === 0) context.err("no pod asks for a sidecar\n");
    context.out(text);
    return EXIT.ok;
  },
});
