import type { PathSegment } from "../base/mod.ts";

/**
 * A path in the object itself: `places` says where each item stands there, which differs from its index in the spec when
 * items before it could not be made out.
 */
export function inObject(path: readonly PathSegment[], places: readonly number[]): readonly PathSegment[] {
  const [spec, field, index, ...rest] = path;
  if (spec === undefined || field !== "resources" || typeof index !== "number" || places[index] === index) return path;
  return [spec, field, places[index] ?? index, ...rest];
}
