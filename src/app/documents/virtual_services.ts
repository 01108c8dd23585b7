import type { VirtualServiceStatus } from "../../api/virtual_service/mod.ts";
import { ChanceryError } from "../../base/mod.ts";
import type { ObjectReader } from "./configs.ts";
import type { VirtualServiceDocument } from "./configs_document.ts";

/** The VirtualServices that can be seen; none where the API server has no such kind, or does not show them. */
export async function virtualServiceDocuments(
  objects: Pick<ObjectReader, "list">,
  query: { readonly namespace?: string },
): Promise<VirtualServiceDocument[]> {
  try {
    const { items } = await objects.list("VirtualService", query);
    return items.map(({ metadata: { namespace, name, generation, creationTimestamp: createdAt }, ...object }) => {
      const { replicas: _, ...status } = (object["status"] ?? {}) as VirtualServiceStatus; // written by us alone
      return { namespace, name, generation, createdAt, status };
    });
  } catch (thrown) {
    if (thrown instanceof ChanceryError && (thrown.code === "not-found" || thrown.code === "forbidden")) return [];
    throw thrown;
  }
}
