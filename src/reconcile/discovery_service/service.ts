import { type DiscoveryService, type DiscoveryServiceSettings, ownedLabels } from "../../api/operator/mod.ts";
import type { StatedObject } from "../engine/object_source.ts";
import { controllerReference } from "../engine/owned.ts";

/** The Service that Envoys dial, named and typed as asked for (C1). */
export function serviceOf(object: DiscoveryService, settings: DiscoveryServiceSettings): StatedObject {
  const { name, namespace = "default" } = object.metadata;
  const labels = ownedLabels("discovery-service", name);
  const headless = settings.service.type === "Headless";
  const port = (portName: string, number: number) => ({
    ...{ name: portName, port: number, protocol: "TCP", targetPort: portName },
  });
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: {
      name: settings.service.name,
      namespace,
      labels,
      ownerReferences: [controllerReference(object)],
    },
    spec: {
      type: headless ? "ClusterIP" : settings.service.type,
      ...(headless && { clusterIP: "None" }),
      ports: [port("discovery", settings.ports.xds), port("metrics", settings.ports.metrics)],
      selector: labels,
    },
  };
}
