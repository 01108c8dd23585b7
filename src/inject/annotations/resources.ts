import type { AnnotationReader } from "./reader.ts";

/** What Envoy asks for of what nobody names. */
const REQUESTS: Readonly<Record<string, string>> = { cpu: "50m", memory: "64Mi" };

/** As Kubernetes writes amounts; none is less than nothing. */
const QUANTITY = /^\+?(\d+(\.\d*)?|\.\d+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?\d+)?$/;

/**
 * Amounts of Envoy's container. What is named counts as it stands; a default is left out where a limit is named, since
 * it could be
 * more than that.
 */
export function readResources(reader: AnnotationReader): Readonly<Record<string, unknown>> {
  const requests: Record<string, string> = {};
  const limits: Record<string, string> = {};
  for (const unit of ["cpu", "memory"] as const) {
    const limit = quantity(reader, `resources.limits.${unit}`);
    const request = quantity(reader, `resources.requests.${unit}`) ??
      (limit === undefined ? REQUESTS[unit] : undefined);
    if (request !== undefined) requests[unit] = request;
    if (limit !== undefined) limits[unit] = limit;
  }
  return {
    ...(Object.keys(requests).length > 0 && { requests }),
    ...(Object.keys(limits).length > 0 && { limits }),
  };
}

function quantity(reader: AnnotationReader, name: Parameters<AnnotationReader["raw"]>[0]): string | undefined {
  return reader.value<string | undefined>(name, undefined, {
    read: (text) => (QUANTITY.test(text) ? text : undefined),
    expected: 'a quantity, such as "100m", "0.5" or "128Mi"',
  });
}
