/**
 * All kinds of ours at once, for those who need every one: CRDs. A door of its own, since that loads the operator's large ones.
 * @module
 */
import { ENVOY_CONFIG } from "../envoy_config.ts";
import { ENVOY_CONFIG_REVISION } from "../envoy_config_revision.ts";
import type { KindDefinition } from "../kind.ts";
import { DISCOVERY_SERVICE, DISCOVERY_SERVICE_CERTIFICATE, ENVOY_DEPLOYMENT } from "../operator/mod.ts";
import { VIRTUAL_SERVICE } from "../virtual_service/mod.ts";

/** The kinds that are defined by a CustomResourceDefinition of ours. */
export const KINDS: readonly KindDefinition[] = [
  ENVOY_CONFIG,
  ENVOY_CONFIG_REVISION,
  DISCOVERY_SERVICE,
  DISCOVERY_SERVICE_CERTIFICATE,
  ENVOY_DEPLOYMENT,
  VIRTUAL_SERVICE,
];
