import { installedObjects, installOptions } from "../../src/install/mod.ts";
import { GENERATED, kustomization, manifest } from "./manifest.ts";

const IMAGE_HELP = `${GENERATED}# Another image: kustomize edit set image chancery=registry.example.com/chancery:1.0.0
# (in this folder, so that the pods that the operator makes have it, too).
`;

/** `manifests/default/`, the installation for kustomize. */
export function defaultManifests(): ReadonlyMap<string, string> {
  const { crds, namespace, sharedRoles, operator, webhook, webhookConfigurations } = installedObjects(installOptions());
  // Complete in itself, so that kustomize can fetch the folder alone.
  const files = {
    "crds.yaml": crds,
    "namespace.yaml": namespace,
    "shared_roles.yaml": sharedRoles,
    "operator.yaml": operator,
    "webhook.yaml": webhook,
    "webhook_configurations.yaml": webhookConfigurations,
  };
  const [name = "", newTag = ""] = installOptions().image.split(":");
  return new Map([
    ...Object.entries(files).map(([file, objects]) => [`manifests/default/${file}`, manifest(objects)] as const),
    [
      "manifests/default/kustomization.yaml",
      kustomization({
        resources: Object.keys(files),
        images: [{ name, newTag }],
        replacements: [imageOfMadePods("operator"), imageOfMadePods("webhook")],
      }, IMAGE_HELP),
    ],
  ]);
}

/** The image of a role is that of the pods it makes, too. */
function imageOfMadePods(part: string): Record<string, unknown> {
  const deployment = { kind: "Deployment", name: `chancery-${part}` };
  return {
    source: { ...deployment, fieldPath: `spec.template.spec.containers.[name=${part}].image` },
    targets: [{
      select: deployment,
      fieldPaths: [`spec.template.spec.containers.[name=${part}].env.[name=RELATED_IMAGE_CHANCERY].value`],
    }],
  };
}
