import { ChanceryError } from "../../../base/mod.ts";

/**
 * Which node ids a client status request asks for: one of its `envoy.type.matcher.v3.NodeMatcher`s is enough, none means all.
 * @throws {ChanceryError} `invalid-input` for matchers on metadata, regular expressions and custom matchers
 */
export function nodeMatcher(matchers: unknown): (nodeId: string) => boolean {
  if (!Array.isArray(matchers) || matchers.length === 0) return () => true;
  const tests = matchers.map(matcherOf);
  return (nodeId) => tests.some((test) => test(nodeId));
}

function matcherOf(matcher: unknown): (nodeId: string) => boolean {
  if (!isObject(matcher) || !isObject(matcher.node_id) || hasItems(matcher.node_metadatas)) return refuse();
  const { exact, prefix, suffix, contains, ignore_case: ignoreCase } = matcher.node_id;
  const folded = (text: string) => ignoreCase === true ? text.toLowerCase() : text;
  if (typeof exact === "string") return (id) => folded(id) === folded(exact);
  if (typeof prefix === "string") return (id) => folded(id).startsWith(folded(prefix));
  if (typeof suffix === "string") return (id) => folded(id).endsWith(folded(suffix));
  if (typeof contains === "string") return (id) => folded(id).includes(folded(contains));
  return refuse();
}

function refuse(): never {
  throw new ChanceryError(
    "invalid-input",
    "Node matchers may compare the node id only: exact, prefix, suffix or contains",
  );
}

function hasItems(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
