/** Names one object of the store. Cluster-scoped objects have an empty namespace. */
export interface ObjectKey {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** `EnvoyConfig/demo/shop`, equal exactly for equal keys. */
export function formatKey(key: ObjectKey): string {
  return `${key.kind}/${key.namespace}/${key.name}`;
}

/** The inverse of {@linkcode formatKey}; `undefined` when the text is none. */
export function parseKey(text: string): ObjectKey | undefined {
  const [kind, namespace, name, ...rest] = text.split("/");
  if (!kind || namespace === undefined || !name || rest.length > 0) return undefined;
  return { kind, namespace, name };
}
