import { checkSchema, ObjectMeta } from "../../api/mod.ts";
import {
  DISCOVERY_SERVICE,
  DISCOVERY_SERVICE_CERTIFICATE,
  type DiscoveryService,
  discoveryServiceSettings,
  ENVOY_DEPLOYMENT,
  type EnvoyDeployment,
  envoyDeploymentSettings,
} from "../../api/operator/mod.ts";
import { type Finding, hasErrors } from "../../base/mod.ts";
import type { FileObject } from "./objects.ts";

const KINDS = new Map(
  [DISCOVERY_SERVICE, DISCOVERY_SERVICE_CERTIFICATE, ENVOY_DEPLOYMENT].map((kind) => [kind.kind, kind]),
);

/** What an API server or the operator would say about an object of the operator's kinds by itself; rules in CEL aside. */
export function checkOperatorObject({ kind, value }: Pick<FileObject, "kind" | "value">): readonly Finding[] {
  const { metadata, spec } = value;
  const findings = checkSchema(ObjectMeta, metadata ?? {}, ["metadata"]);
  if (spec === undefined && kind === DISCOVERY_SERVICE.kind) return findings; // all of it has defaults
  if (spec === undefined || spec === null) {
    return [...findings, { severity: "error", path: [], message: "spec must be set", rule: "required" }];
  }
  findings.push(...checkSchema(KINDS.get(kind)?.spec, spec, ["spec"]));
  return hasErrors(findings) ? findings : [...findings, ...settingsFindings(kind, value)];
}

function settingsFindings(kind: string, value: unknown): readonly Finding[] {
  switch (kind) {
    case DISCOVERY_SERVICE.kind:
      return discoveryServiceSettings(value as DiscoveryService).findings; // just checked
    case ENVOY_DEPLOYMENT.kind:
      return envoyDeploymentSettings(value as EnvoyDeployment).findings; // just checked
    default:
      return [];
  }
}
