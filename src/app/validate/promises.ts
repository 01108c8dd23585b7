import { type EndpointSlice, SERVICE_NAME_LABEL } from "../../api/mod.ts";
import type { FileObject } from "./objects.ts";

/** What a cluster will make of objects that are among the files, so that nobody misses it. */
export interface Promises {
  /** NAMESPACE/NAME of the Secrets of DiscoveryServiceCertificates. */
  readonly secrets: ReadonlySet<string>;
  /** By namespace: of each Service with a selector the slice that Kubernetes makes before there is any pod. */
  readonly slices: ReadonlyMap<string, readonly EndpointSlice[]>;
}

/** Reads the objects as far as it matters: what is wrong with them otherwise is not said here. */
export function promisesOf(objects: readonly FileObject[]): Promises {
  const secrets = new Set<string>();
  const slices = new Map<string, EndpointSlice[]>();
  for (const { kind, namespace, name, value } of objects) {
    const spec = recordOf(value["spec"]);
    if (kind === "DiscoveryServiceCertificate") {
      const { name: secret } = recordOf(spec["secretRef"]);
      if (typeof secret === "string") secrets.add(`${namespace}/${secret}`);
    } else if (kind === "Service" && value["apiVersion"] === "v1" && spec["selector"]) {
      const here = slices.get(namespace) ?? [];
      slices.set(namespace, [...here, emptySlice({ namespace, name, value })]);
    }
  }
  return { secrets, slices };
}

/** A slice has the labels of its Service. */
function emptySlice({ namespace, name, value }: Pick<FileObject, "namespace" | "name" | "value">): EndpointSlice {
  const own = Object.entries(recordOf(recordOf(value["metadata"])["labels"]));
  const labels = own.filter((entry): entry is [string, string] => typeof entry[1] === "string");
  return {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: { namespace, name, labels: { ...Object.fromEntries(labels), [SERVICE_NAME_LABEL]: name } },
    addressType: "IPv4",
  };
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? value as Readonly<Record<string, unknown>> // just looked
    : {};
}
