import { isAlias, isMap, isNode, isPair, isSeq, type Node, type Pair, visit } from "yaml";
import type { PathSegment } from "../finding.ts";
import { isMergeKey, keyText, offsetOf } from "./build.ts";

/** The offset of a path in a document: of the key for a field, of the item for a list entry, of the nearest ancestor else. */
export function locate(root: unknown, path: readonly PathSegment[]): number {
  let node = root;
  let offset = offsetOf(root);
  for (const segment of path) {
    const step = stepInto(follow(node, root), segment, root);
    if (step === undefined) break;
    node = step.node;
    offset = step.offset;
  }
  return offset;
}

interface Step {
  readonly node: unknown;
  readonly offset: number;
}

function stepInto(node: unknown, segment: PathSegment, root: unknown): Step | undefined {
  if (isSeq(node)) {
    const item: unknown = node.items[Number(segment)];
    return item === undefined ? undefined : { node: item, offset: offsetOf(isPair(item) ? item.key : item) };
  }
  if (isPair(node)) return stepIntoPairs([node], String(segment), root);
  return isMap(node) ? stepIntoPairs(node.items, String(segment), root) : undefined;
}

function stepIntoPairs(pairs: readonly Pair[], key: string, root: unknown): Step | undefined {
  const own = pairs.find((pair) => !isMergeKey(pair) && keyText(pair.key) === key);
  if (own) return { node: own.value, offset: offsetOf(own.key) };
  for (const pair of pairs.filter(isMergeKey)) {
    const source = follow(pair.value, root);
    for (const item of isSeq(source) ? source.items : [source]) {
      const step = stepInto(follow(item, root), key, root);
      if (step) return step;
    }
  }
  return undefined;
}

/** What an alias stands for. Where a name is anchored twice the last one before the alias counts. */
function follow(node: unknown, root: unknown): unknown {
  if (!isAlias(node)) return node;
  let found: Node | undefined;
  if (!isNode(root)) return undefined;
  const before = offsetOf(node);
  visit(root, {
    Node(_key, candidate) {
      if (offsetOf(candidate) >= before) return visit.BREAK;
      if ("anchor" in candidate && candidate.anchor === node.source) found = candidate;
      return undefined;
    },
  });
  return found;
}
