import { MESH_ANNOTATIONS, MESH_API_VERSION, MESH_FINALIZER, type VirtualService } from "../api/virtual_service/mod.ts";
import { finalizersOf, type KubeObject } from "../install/mod.ts";
import { counted } from "./counted.ts";
import type { Inventory } from "./inventory.ts";
import { kubectl, type Remark, remarkOn } from "./remark.ts";

/** What l7mp-xds-operator serves. */
export const VIRTUAL_SERVICES = { apiVersion: MESH_API_VERSION, kind: "VirtualService" } as const;

/** VirtualServices that meant more pods to l7mp-xds-operator than they say. */
export function virtualServices(inventory: Inventory): Remark[] {
  const all = inventory.of<KubeObject & Partial<Pick<VirtualService, "spec">>>(VIRTUAL_SERVICES);
  const remarks = all.flatMap((service) => {
    const { metadata: { name, annotations = {} }, spec } = service;
    const found: Remark[] = [];
    if (Object.keys(spec?.selector ?? {}).length > 1) {
      found.push(
        remarkOn(service, "changes", {
          message: "its pods have to have all labels of its selector; one was enough before",
        }),
      );
    }
    if (annotations[MESH_ANNOTATIONS.scope] !== "cluster") {
      found.push(remarkOn(service, "changes", {
        message: "it is for the pods of its own namespace; those of all namespaces have to be asked for",
        next: kubectl(
          service,
          `annotate virtualservices.servicemesh.l7mp.io ${name} ${MESH_ANNOTATIONS.scope}=cluster`,
        ),
      }));
    }
    return found;
  });
  const held = all.filter((service) => finalizersOf(service).includes(MESH_FINALIZER)).length;
  if (held > 0) {
    const message = `the finalizer of ${
      counted(held, "VirtualService")
    } keeps nobody waiting: it is taken off at their end`;
    remarks.push({ weight: "stays", object: null, message, next: null });
  }
  return remarks;
}
