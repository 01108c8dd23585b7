import { crdOf, ENVOY_CONFIG, ENVOY_CONFIG_REVISION } from "../../src/api/mod.ts";
import { DISCOVERY_SERVICE, DISCOVERY_SERVICE_CERTIFICATE, ENVOY_DEPLOYMENT } from "../../src/api/operator/mod.ts";
import { stringifyYaml } from "../../src/base/yaml/mod.ts";

const KINDS = [
  ENVOY_CONFIG,
  ENVOY_CONFIG_REVISION,
  DISCOVERY_SERVICE,
  DISCOVERY_SERVICE_CERTIFICATE,
  ENVOY_DEPLOYMENT,
];

/** `manifests/crd/`: one CustomResourceDefinition per kind, under the name that controller tools give it. */
export function crdFiles(): ReadonlyMap<string, string> {
  return new Map(KINDS.map((kind) => [
    `manifests/crd/${kind.group}_${kind.plural}.yaml`,
    `# Written by deno task generate from src/api/.\n${stringifyYaml(crdOf(kind))}`,
  ]));
}
