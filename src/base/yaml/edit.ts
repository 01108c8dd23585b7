import { type Document, isMap, isSeq, type Node, parseDocument, Scalar, visit } from "yaml";
import type { PathSegment } from "../finding.ts";
import { needsQuotes } from "./stringify.ts";

/** A part that is put into a document. */
export interface YamlAddition {
  /** Where to; `-` at the end stands for behind the last item of a list. */
  readonly path: readonly PathSegment[];
  /** Plain JSON. */
  readonly value: unknown;
}

/**
 * The text of one document with some parts added. Comments, order, and the way in which words are written stay; only the
 * width of
 * indentations may change. The text must be one that `parseYaml` reads without an error.
 */
export function addToYaml(text: string, additions: readonly YamlAddition[]): string {
  return edited(text, (document) => {
    for (const { path, value } of additions) {
      const last = path.at(-1);
      const node = nodeOf(document, value);
      if (last === "-") {
        const list = document.getIn(path.slice(0, -1), true);
        if (isSeq(list)) list.add(node);
      } else document.setIn(path.map((segment) => segment), node);
    }
  });
}

/** The text of one document without some parts, which are there, one taken after the other; all else as in {@linkcode addToYaml}. */
export function removeFromYaml(text: string, paths: readonly (readonly PathSegment[])[]): string {
  return edited(text, (document) => {
    for (const path of paths) document.deleteIn(path);
  });
}

function edited(text: string, edit: (document: Document) => void): string {
  const document = parseDocument(text, { schema: "failsafe", uniqueKeys: false, logLevel: "silent" });
  edit(document);
  // As it was written: a list below its key may begin under the key or behind it.
  return document.toString({
    lineWidth: 0,
    indentSeq: !/^( *)[^\s#-][^\n]*:\n\1- /m.test(text),
    flowCollectionPadding: true,
  });
}

/** Words as they have to be written where every one of them is only text. */
function nodeOf(document: Document, value: unknown): Node {
  const node = document.createNode(asText(value), { aliasDuplicateObjects: false });
  visit(node, {
    Scalar(_key, scalar) {
      if (!(scalar.value instanceof Plain)) {
        if (typeof scalar.value === "string" && needsQuotes(scalar.value)) scalar.type = "QUOTE_DOUBLE";
        return;
      }
      scalar.value = scalar.value.text;
      scalar.type = "PLAIN";
    },
  });
  if (isMap(node) || isSeq(node)) node.flow = false;
  return node;
}

/** A number, a boolean or null, which is written without quotes. */
class Plain {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

function asText(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(asText);
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, asText(one)]));
  }
  return typeof value === "string" ? value : new Scalar(new Plain(String(value)));
}
