/** An object as it is written into a manifest. */
export interface KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly [field: string]: unknown;
}

/** The finalizers of an object that was read. */
export function finalizersOf({ metadata }: KubeObject): readonly string[] {
  return (metadata as { finalizers?: readonly string[] }).finalizers ?? [];
}

/** `deployment.apps/NAME`, as kubectl says it; objects of a namespace as `NAMESPACE/NAME`. */
export function objectTitle({ apiVersion, kind, metadata: { namespace, name } }: KubeObject): string {
  const group = apiVersion.includes("/") ? `.${apiVersion.split("/")[0]}` : "";
  return `${kind.toLowerCase()}${group}/${namespace === undefined ? "" : `${namespace}/`}${name}`;
}
