import { type InstalledObjects, installedObjects, installOptions } from "../../../src/install/mod.ts";

/** What in a chart may be one or the other. */
export interface Variant {
  /** Whether only some namespaces are looked after. */
  readonly some: boolean;
  /** Whether cert-manager.io makes the certificate of the webhook. */
  readonly certManager: boolean;
}

/** Values that stand for what Helm puts in; none of them can be meant. */
const PLACEHOLDERS = {
  namespace: "namespace-of-release",
  image: "image-of-values",
  logLevel: "level-of-values",
  watched: "watched-namespace",
  pullSecret: "pull-secret-of-values",
  priorityClass: "priority-class-of-values",
  operatorReplicas: 8101,
  webhookReplicas: 8102,
} as const;

/** A mapping that stands for one of the values. */
function passedOn(name: string): { readonly "chart-value": string } {
  return { "chart-value": name };
}

/** Everything that is installed, with placeholders for all that can be set. */
export function objectsWithPlaceholders({ some, certManager }: Variant): InstalledObjects {
  const values = {
    image: PLACEHOLDERS.image,
    imagePullSecrets: [PLACEHOLDERS.pullSecret],
    watchNamespaces: some ? [PLACEHOLDERS.watched] : [],
    logLevel: PLACEHOLDERS.logLevel,
    "operator.replicas": PLACEHOLDERS.operatorReplicas,
    "operator.resources": passedOn("operator.resources"),
    "webhook.replicas": PLACEHOLDERS.webhookReplicas,
    "webhook.resources": passedOn("webhook.resources"),
    nodeSelector: passedOn("nodeSelector"),
    tolerations: [passedOn("tolerations")],
    priorityClassName: PLACEHOLDERS.priorityClass,
    "certManager.enabled": certManager,
    "monitoring.enabled": true,
    "networkPolicies.enabled": true,
  };
  return installedObjects(installOptions(values, PLACEHOLDERS.namespace));
}

/** The YAML of an object with placeholders as a template of Helm. */
export function templateText(yaml: string): string {
  const { namespace, image, logLevel, watched, pullSecret, priorityClass, operatorReplicas, webhookReplicas } =
    PLACEHOLDERS;
  return yaml
    .replaceAll("{{", '{{ "{{" }}')
    // A mapping or a list of mappings, left out when it is empty.
    .replaceAll(
      /^( *)(\w+):\n +(?:- )?chart-value: (\S+)\n/gm,
      (_, indent: string, key: string, name: string) =>
        block(`$.Values.${name}`, [`${indent}${key}:`, `${indent}  {{- toYaml . | nindent ${indent.length + 2} }}`]),
    )
    .replaceAll(
      new RegExp(`^( *)imagePullSecrets:\\n *- name: ${pullSecret}\\n`, "gm"),
      (_, indent: string) =>
        block("$.Values.imagePullSecrets", [
          `${indent}imagePullSecrets:`,
          `${indent}  {{- range . }}`,
          `${indent}  - name: {{ . }}`,
          `${indent}  {{- end }}`,
        ]),
    )
    .replaceAll(
      new RegExp(`^( *)priorityClassName: ${priorityClass}\\n`, "gm"),
      (_, indent: string) => block("$.Values.priorityClassName", [`${indent}priorityClassName: {{ . }}`]),
    )
    .replaceAll(
      new RegExp(`(name: WATCH_NAMESPACE\\n *value: )(?:""|${watched})`, "g"),
      '$1{{ join "," $.Values.watchNamespaces | quote }}',
    )
    .replaceAll(
      new RegExp(`^( *)- ${watched}\\n`, "gm"),
      (_, indent: string) => `${indent}{{- toYaml $.Values.watchNamespaces | nindent ${indent.length} }}\n`,
    )
    .replaceAll(watched, "{{ $watched }}")
    .replaceAll(namespace, "{{ $.Release.Namespace }}")
    .replaceAll(image, "{{ $.Values.image }}")
    .replaceAll(logLevel, "{{ $.Values.logLevel }}")
    .replaceAll(String(operatorReplicas), "{{ $.Values.operator.replicas }}")
    .replaceAll(String(webhookReplicas), "{{ $.Values.webhook.replicas }}");
}

/** Lines that are there when a value is not empty; the value is the dot in them. */
function block(value: string, lines: readonly string[]): string {
  return `{{- with ${value} }}\n${lines.join("\n")}\n{{- end }}\n`;
}
