/** An object of JSON of which nothing more is known. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Whether a value is an object of JSON. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** What an object has under a name of its own, if that is an object; an empty one otherwise. */
export function objectIn(value: unknown, name: string): JsonObject {
  const found = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  return isObject(found) ? found : {};
}

/** The list that an object has under a name; an empty one where there is none. */
export function listIn(value: unknown, name: string): readonly unknown[] {
  const found = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  return Array.isArray(found) ? found : [];
}

/** Names of the objects in a list. */
export function namesIn(list: readonly unknown[]): string[] {
  return list.flatMap((one) => (isObject(one) && typeof one.name === "string" ? [one.name] : []));
}
