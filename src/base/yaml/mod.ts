/**
 * YAML as Kubernetes reads it, with the place of every field. The only door to the `yaml` library.
 * @module
 */
export { DEFAULT_YAML_LIMITS, type YamlLimits } from "./limits.ts";
export { type ParsedDocument, type ParsedYaml, parseYaml } from "./parse.ts";
export { addToYaml, removeFromYaml, type YamlAddition } from "./edit.ts";
export { stringifyYaml } from "./stringify.ts";
