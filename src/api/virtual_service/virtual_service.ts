import type { KindDefinition } from "../kind.ts";
import type { ApiObject } from "../metadata.ts";
import { MESH_GROUP } from "./names.ts";
import { VirtualServiceSpec } from "./spec.ts";
import { VirtualServiceStatus } from "./status.ts";

/** Listeners for the Envoys of the pods that it selects, and what they forward to. */
export interface VirtualService extends ApiObject {
  readonly spec: VirtualServiceSpec;
  readonly status?: VirtualServiceStatus;
}

/** The kind VirtualService. */
export const VIRTUAL_SERVICE: KindDefinition = {
  group: MESH_GROUP,
  version: "v1",
  kind: "VirtualService",
  plural: "virtualservices",
  singular: "virtualservice",
  shortNames: ["mvs"],
  description: "VirtualService gives the Envoys of selected pods listeners, and clusters to forward to",
  printerColumns: [
    { name: "Pods", jsonPath: ".status.pods", type: "integer" },
    { name: "Served", jsonPath: ".status.nodes.served", type: "integer" },
    { name: "Accepted", jsonPath: ".status.nodes.accepted", type: "integer" },
    { name: "Rejected", jsonPath: ".status.nodes.rejected", type: "integer" },
    { name: "Age", jsonPath: ".metadata.creationTimestamp", type: "date" },
  ],
  spec: VirtualServiceSpec,
  status: VirtualServiceStatus,
};
