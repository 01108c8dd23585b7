import { ChanceryError, formatFinding, hasErrors } from "../../base/mod.ts";
import { defineCommand } from "../command.ts";
import { EXIT, UsageError } from "../exit_code.ts";
import { ENVOY_IMAGE_OPTIONS, IMAGE } from "../options/images.ts";

export const command = defineCommand({
  summary: "Give the pods of manifests their sidecars, offline",
  description: "Prints the manifests again, and adds an Envoy to each pod and template of pods with the label " +
    '"marin3r.3scale.net/status: enabled", as its annotations ask for and as the webhook would do it. Everything else ' +
    "stays as it was written, comments included. A pod that has a sidecar is left alone. Nothing is asked of a server. " +
    "--uninject is the inverse: it takes sidecars out, and leaves everything else as it is.\n\n" +
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
    image: { ...IMAGE, help: "Image of this program, for the helpers of the sidecars; needed to inject" },
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
    clientAuthorization: {
      type: "choice",
      choices: ["Off", "Namespace", "NodeID"],
      default: "Off",
      env: false,
      help:
        "spec.clientAuthorization of discovery services that are not among the manifests: by NodeID each has its certificate",
    },
    uninject: {
      type: "flag",
      env: false,
      help: "Take out the sidecars that this program or MARIN3R put in; labels and annotations stay",
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
    {
      run: "kubectl get deployment web -o yaml | chancery inject --uninject | kubectl apply -f -",
      does: "Without a sidecar again",
    },
  ],
  async run({ file, uninject, image, ...options }, context) {
    if (image === undefined && !uninject) {
      throw new UsageError(`--image (or ${[IMAGE.env, IMAGE.olderEnv].join(" or ")}) is required`);
    }
    const { readInputs } = await import("../../app/validate/mod.ts");
    const { injectManifests, uninjectManifests } = await import("../../app/inject/mod.ts");
    const [input] = await readInputs([file]);
    if (input?.text === undefined) {
      throw new ChanceryError(
        "invalid-input",
        `Cannot read ${JSON.stringify(file)}: ${input?.problem ?? "it is empty"}`,
      );
    }
    const { text, changed, findings } = image === undefined || uninject
      ? uninjectManifests(input.text, { namespace: options.namespace, file: input.name })
      : injectManifests(input.text, { ...options, image, file: input.name });
    for (const finding of findings) context.err(`${formatFinding(finding)}\n`);
    if (hasErrors(findings)) return EXIT.differs;
    const nothing = uninject ? "no pod has a sidecar\n" : "no pod asks for a sidecar\n";
    if (changed.length > 0 && context.terminal.err) {
      context.err(`${uninject ? "uninjected" : "injected"}: ${changed.join(", ")}\n`);
    }
    if (changed.length === 0 && findings.length === 0) context.err(nothing);
    context.out(text);
    return EXIT.ok;
  },
});
