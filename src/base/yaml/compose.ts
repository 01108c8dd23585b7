import { Composer, type Document, Lexer, Parser, type YAMLParseError } from "yaml";
import type { YamlLimits } from "./limits.ts";

/** Where reading stopped for good, and why. */
export interface Stop {
  readonly offset: number;
  readonly message: string;
  readonly rule: string;
}

/** The documents of a text, each as the library's tree; after a {@linkcode Stop} nothing more comes. */
export type Composed = { readonly document: Document } | { readonly stop: Stop };

/** Thrown by the error hook to leave the library's composer; never leaves this file. */
class TooManyErrors extends Error {}

const MAX_COMPLAINTS = 20_000;

/**
 * Reads a text document by document. Tokens and depth are checked while they are read, before the (recursive) composer sees
 * them. Scalars stay text (`failsafe`): what they mean is decided by `resolveScalar`, duplicates are found by `buildValue`,
 * for the library compares every key with every other.
 */
export function* composeDocuments(text: string, limits: YamlLimits): Generator<Composed> {
  const composer = new Composer({ schema: "failsafe", uniqueKeys: false, prettyErrors: false, logLevel: "silent" });
  limitErrors(composer, limits.maxFindings);
  const parser = new Parser();
  let tokens = 0;
  try {
    for (const lexeme of new Lexer().lex(text)) {
      for (const token of parser.next(lexeme)) yield* documents(composer.next(token));
      if (++tokens > limits.maxTokens) return yield stopAt(parser, "too-long", `more than ${limits.maxTokens} tokens`);
      // one entry for the document and one for the scalar being read
      if (parser.stack.length > limits.maxDepth + 2) {
        return yield stopAt(parser, "too-deep", `nested deeper than ${limits.maxDepth} levels`);
      }
    }
    for (const token of parser.end()) yield* documents(composer.next(token));
    yield* documents(composer.end(false, text.length));
  } catch (thrown) {
    if (!(thrown instanceof TooManyErrors)) throw thrown;
    yield stopAt(parser, "syntax", "too many syntax errors in one document");
  }
}

function* documents(found: Iterable<Document>): Generator<Composed> {
  for (const document of found) yield { document };
}

function stopAt(parser: Parser, rule: string, message: string): Composed {
  return { stop: { offset: parser.offset, rule, message } };
}

/**
 * The composer makes an Error for each fault, even for a million of them (`[,,,,…`), so its private hook is wrapped. The
 * library's version is pinned and a test sees that the wrap takes effect; without it such a text only costs more memory.
 */
function limitErrors(composer: Composer, limit: number): void {
  type Hook = (...args: unknown[]) => void;
  const hooked = composer as unknown as { onError?: Hook; errors?: YAMLParseError[] }; // private, see above
  const original = hooked.onError;
  if (original === undefined) return;
  let calls = 0; // warnings count too, though many more of them are let pass
  hooked.onError = (...args) => {
    if (++calls > MAX_COMPLAINTS || (hooked.errors?.length ?? 0) > limit) throw new TooManyErrors();
    original(...args);
  };
}
