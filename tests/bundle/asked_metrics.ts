/**
 * What alerts and dashboard ask for, against what is told.
 * @module
 */
import { installedObjects, installOptions } from "../../src/install/mod.ts";

/** Told in trouble only, and so by no role that is well; how they are told stands in tests of their own. */
const IN_TROUBLE = ["chancery_xds_rejected"];

/** The names of all series that the PromQL of alerts and dashboard names. */
export function askedMetrics(): string[] {
  const { monitoring } = installedObjects(installOptions({ "monitoring.enabled": true }));
  const expressions = monitoring.flatMap((object) => [...expressionsIn(object)]);
  const names = expressions.flatMap((expression) =>
    expression.replaceAll(/(?:by|on) \([^)]*\)|\{[^}]*\}/g, "").match(/\b(?:chancery|process|envoy)_[a-z_]+/g) ?? []
  );
  return [...new Set(names)].filter((name) => !IN_TROUBLE.includes(name)).sort();
}

/** The names of all series in what `/metrics` and the like have answered. */
export function toldMetrics(pages: readonly string[]): Set<string> {
  return new Set(pages.flatMap((page) => [...page.matchAll(/^([a-z_]+)[ {]/gm)].map(([, name]) => name!)));
}

function* expressionsIn(value: unknown): Generator<string> {
  if (typeof value === "string" && value.startsWith("{\n")) yield* expressionsIn(JSON.parse(value)); // the dashboard
  if (typeof value !== "object" || value === null) return;
  for (const [name, inner] of Object.entries(value)) {
    if (name === "expr" && typeof inner === "string") yield inner;
    else yield* expressionsIn(inner);
  }
}
