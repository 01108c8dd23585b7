/**
 * `manifests/chart/`: the chart for Helm. Its templates are what the installation says of every setting at once, by placeholders.
 * @module
 */
import config from "../../../deno.json" with { type: "json" };
import { stringifyYaml } from "../../../src/base/yaml/mod.ts";
import { GENERATED } from "../manifest.ts";
import { templates } from "./templates.ts";
import { schemaText, valuesText } from "./values.ts";

const FOLDER = "manifests/chart";

const NOTES =
  `Chancery looks after {{ if .Values.watchNamespaces }}{{ join ", " .Values.watchNamespaces }}{{ else }}all namespaces{{ end }}.

  kubectl -n {{ .Release.Namespace }} rollout status deployment/chancery-operator deployment/chancery-webhook
{{- if not .Values.watchNamespaces }}

Pods of this namespace need no rights over their node; to let nothing else in:

  kubectl label namespace {{ .Release.Namespace }} pod-security.kubernetes.io/enforce=restricted
{{- end }}
`;

/** All files of the chart. */
export function chartFiles(): ReadonlyMap<string, string> {
  const chart = {
    apiVersion: "v2",
    name: "chancery",
    type: "application",
    version: config.version,
    appVersion: config.version,
    kubeVersion: ">=1.30.0-0",
    description: "A control plane for Envoy: EnvoyConfigs, discovery services, Envoys and sidecars",
  };
  return new Map([
    [`${FOLDER}/Chart.yaml`, `${GENERATED}${stringifyYaml(chart)}`],
    [`${FOLDER}/values.yaml`, valuesText()],
    [`${FOLDER}/values.schema.json`, schemaText()],
    [`${FOLDER}/templates/NOTES.txt`, NOTES],
    ...[...templates()].map(([name, text]) => [`${FOLDER}/templates/${name}`, text] as const),
  ]);
}
