import { installOptions, type KubeObject, l7mpObjects } from "../../src/install/mod.ts";
import { GENERATED, kustomization, manifest } from "./manifest.ts";

const HEAD =
  `${GENERATED}# In the place of l7mp-xds-operator: its Envoys find their discovery service at operator-service.operator-system:18000, in
# plain text. Another image: kustomize edit set image chancery=registry.example.com/chancery:1.0.0
`;

/** `manifests/l7mp/`, complete in itself. */
export function l7mpManifests(): ReadonlyMap<string, string> {
  const options = installOptions({});
  const { crds, namespace, discoveryService } = l7mpObjects(options);
  const files: Readonly<Record<string, readonly KubeObject[]>> = {
    "crds.yaml": crds,
    "namespace.yaml": namespace,
    "discovery_service.yaml": discoveryService,
  };
  const [name = "", newTag = ""] = options.image.split(":");
  const body = { resources: Object.keys(files), images: [{ name, newTag }] };
  return new Map([
    ...Object.entries(files).map(([file, objects]) => [`manifests/l7mp/${file}`, manifest(objects)] as const),
    ["manifests/l7mp/kustomization.yaml", kustomization(body, HEAD)],
  ]);
}
