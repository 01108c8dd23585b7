/**
 * Rewrites `src/api/operator/core_schemas.ts`: what a real API server says of the types of its own that our kinds embed, so that
 * no field of them is lost in an object of ours. Starts an API server; needs what the tests on a cluster need. To move to
 * another Kubernetes, change the control plane of the tests and run it.
 * @module
 */
import { startControlPlane } from "../tests/cluster/control_plane/mod.ts";

const TARGET = new URL("../src/api/operator/core_schemas.ts", import.meta.url);

/** Which types, by the document of `/openapi/v3` that has them. */
const WANTED: Readonly<Record<string, readonly string[]>> = {
  "api/v1": [
    "io.k8s.api.core.v1.Affinity",
    "io.k8s.api.core.v1.LocalObjectReference",
    "io.k8s.api.core.v1.PodSecurityContext",
    "io.k8s.api.core.v1.ResourceRequirements",
    "io.k8s.api.core.v1.SecurityContext",
    "io.k8s.api.core.v1.Toleration",
    "io.k8s.api.core.v1.TopologySpreadConstraint",
  ],
  "apis/apps/v1": ["io.k8s.api.apps.v1.DeploymentStatus"],
  "apis/autoscaling/v2": [
    "io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerBehavior",
    "io.k8s.api.autoscaling.v2.MetricSpec",
  ],
};

interface OpenApi {
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

interface Schema {
  readonly $ref?: string;
  readonly allOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly type?: string;
  readonly format?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: Schema;
  readonly "x-kubernetes-list-type"?: string;
  readonly "x-kubernetes-list-map-keys"?: readonly string[];
  readonly "x-kubernetes-map-type"?: string;
}

/** An amount as the API server reads it; the only free text among these types that has a form. */
const QUANTITY = {
  "x-kubernetes-int-or-string": true,
  pattern: String
    .raw`^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$`,
};

/**
 * A schema without references, in the dialect of CRDs. Descriptions are left out for size, defaults because nobody's manifest
 * is written to, and enumerations because a later Kubernetes may know more.
 */
function flatten(schema: Schema, of: (name: string) => Schema): Record<string, unknown> {
  const name = schema.$ref ?? schema.allOf?.[0]?.$ref;
  if (name !== undefined) return flatten(of(name.slice(name.lastIndexOf("/") + 1)), of);
  if (schema.oneOf) return schema.format === "int-or-string" ? { "x-kubernetes-int-or-string": true } : { ...QUANTITY };
  const { type, format, properties, required, items, additionalProperties } = schema;
  if (type === undefined) {
    throw new Error(`Cannot turn ${JSON.stringify(schema).slice(0, 200)} into a structural schema`);
  }
  return {
    type,
    ...(format === undefined ? {} : { format }),
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([key, field]) => [key, flatten(field, of)])),
    }),
    ...(required && { required }),
    ...(items && { items: flatten(items, of), ...listType(schema, of) }),
    ...(additionalProperties && { additionalProperties: flatten(additionalProperties, of) }),
    ...(schema["x-kubernetes-map-type"] ? { "x-kubernetes-map-type": schema["x-kubernetes-map-type"] } : {}),
  };
}

/** A list by keys has to have its keys in every item; without defaults some have not, and are then owned as a whole. */
function listType(schema: Schema, of: (name: string) => Schema): Record<string, unknown> {
  const keys = schema["x-kubernetes-list-map-keys"];
  const ref = schema.items?.$ref ?? schema.items?.allOf?.[0]?.$ref ?? "";
  const required = ref === "" ? [] : of(ref.slice(ref.lastIndexOf("/") + 1)).required ?? [];
  const byKeys = keys?.every((key) => required.includes(key)) ?? false;
  if (byKeys) return { "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": keys };
  return { "x-kubernetes-list-type": schema["x-kubernetes-list-type"] === "set" ? "set" : "atomic" };
}

if (import.meta.main) {
  await using cluster = await startControlPlane({ components: ["etcd", "kube-apiserver"] });
  const { gitVersion } = await cluster.request("GET", "/version") as { gitVersion: string }; // version.Info
  let text = `// Written by scripts/generate_core_schemas.ts from the OpenAPI of Kubernetes ${gitVersion}.\n\n`;
  for (const [document, names] of Object.entries(WANTED)) {
    const { components } = await cluster.request("GET", `/openapi/v3/${document}`) as OpenApi;
    const of = (name: string) => {
      const found = components.schemas[name];
      if (!found) throw new Error(`Cannot find "${name}" in /openapi/v3/${document}`);
      return found;
    };
    for (const name of names) {
      const short = name.slice(name.lastIndexOf(".") + 1);
      text += `/** \`${name}\` */\nexport const ${short} = ${JSON.stringify(flatten(of(name), of))} as const;\n\n`;
    }
  }
  await Deno.writeTextFile(TARGET, text);
  const { success } = await new Deno.Command(Deno.execPath(), { args: ["fmt", "--quiet", TARGET.pathname] }).output();
  if (!success) throw new Error(`Cannot format "${TARGET.pathname}"`);
  console.log(`wrote ${TARGET.pathname}`);
}
