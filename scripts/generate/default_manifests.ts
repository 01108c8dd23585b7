import { installedObjects, installOptions, type SettingValues } from "../../src/install/mod.ts";
import { GENERATED, kustomization, manifest } from "./manifest.ts";

const IMAGE_HELP = `# Another image: kustomize edit set image chancery=registry.example.com/chancery:1.0.0
# (in this folder, so that the pods that the operator makes have it, too).
`;

/** `manifests/default/`, the installation for kustomize. */
export function defaultManifests(): ReadonlyMap<string, string> {
  const { files, kustomization } = defaultFiles({}, GENERATED);
  const all = [...files, ["kustomization.yaml", kustomization] as const];
  return new Map(all.map(([name, text]) => [`manifests/default/${name}`, text]));
}

/** The files of an installation that is complete in itself, so that kustomize can fetch their folder alone. */
export function defaultFiles(
  settings: SettingValues,
  head: string,
): { readonly files: ReadonlyMap<string, string>; readonly kustomization: string } {
  const options = installOptions(settings);
  const { crds, namespace, sharedRoles, operator, webhook, webhookConfigurations } = installedObjects(options);
  const objects = {
    "crds.yaml": crds,
    "namespace.yaml": namespace,
    "shared_roles.yaml": sharedRoles,
    "operator.yaml": operator,
    "webhook.yaml": webhook,
    "webhook_configurations.yaml": webhookConfigurations,
  };
  const files = new Map(
    Object.entries(objects).filter(([, some]) => some.length > 0).map(([name, some]) => [name, manifest(some)]),
  );
  const [name = "", newTag = ""] = options.image.split(":");
  const body = {
    resources: [...files.keys()],
    images: [{ name, newTag }],
    replacements: [imageOfMadePods("operator"), imageOfMadePods("webhook")],
  };
  return { files, kustomization: kustomization(body, `${head}${IMAGE_HELP}`) };
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
