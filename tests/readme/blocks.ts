/** A fenced block of a Markdown document. */
export interface Block {
  /** The word behind the fence: `sh`, `console`, `yaml`, `text`. */
  readonly language: string;
  /** The headings that it stands under, without the title: `["Ten minutes on Kubernetes", "Install"]`. */
  readonly section: readonly string[];
  /** Line of the document in which its fence is, from 1. */
  readonly line: number;
  readonly text: string;
}

const FENCE = /^\s*(```+)\s*(\S*)/;
const HEADING = /^(#+)\s+(.*)$/;

/** All fenced blocks of a document, in their order. @throws {Error} for one that has no end */
export function parseBlocks(markdown: string): Block[] {
  const blocks: Block[] = [];
  const headings: string[] = [];
  const lines = markdown.split("\n");
  for (let at = 0; at < lines.length; at++) {
    const heading = HEADING.exec(lines[at]!);
    if (heading) {
      headings.length = heading[1]!.length - 1;
      headings[heading[1]!.length - 1] = heading[2]!.trim();
    }
    const fence = FENCE.exec(lines[at]!);
    if (!fence) continue;
    const first = at + 1;
    do {
      if (++at === lines.length) throw new Error(`Cannot read README.md: the block of line ${first} has no end`);
    } while (FENCE.exec(lines[at]!)?.[1] !== fence[1]);
    blocks.push({
      language: fence[2]!,
      section: headings.slice(1).map((name) => name ?? ""),
      line: first,
      text: `${lines.slice(first, at).join("\n")}\n`,
    });
  }
  return blocks;
}

/** A command of a block, and what the document shows of its output: `undefined` where it shows none at all. */
export interface Typed {
  readonly command: string;
  readonly shown: readonly string[] | undefined;
}

/**
 * The commands of a block: of `sh` each line, of `console` what stands behind `$ `, with what is printed below it. A line that ends
 * with a backslash goes on in the next one; a comment alone is no command.
 */
export function commandsOf({ language, text }: Pick<Block, "language" | "text">): Typed[] {
  const lines = text.replace(/\n$/, "").split("\n");
  const typed: { command: string; shown: string[] | undefined }[] = [];
  let open = false;
  for (const line of lines) {
    const last = typed.at(-1);
    if (open && last) last.command += `\n${line.replace(/^> /, "")}`;
    else if (language === "sh") {
      if (line.trim() === "" || line.startsWith("#")) continue;
      typed.push({ command: line, shown: undefined });
    } else if (line.startsWith("$ ")) typed.push({ command: line.slice(2), shown: [] });
    else if (last?.shown) {
      last.shown.push(line);
      continue;
    } else throw new Error(`Cannot read ${JSON.stringify(line)}: a console block begins with a command`);
    open = line.endsWith("\\");
  }
  // An empty line separates a command from what is above it.
  for (const { shown } of typed) while (shown?.at(-1)?.trim() === "") shown.pop();
  return typed;
}

/** The file that a block is to be saved as: its first line is a comment that says so (`# shop.yaml`). */
export function fileNameOf({ text }: Pick<Block, "text">): string | undefined {
  return /^# ([\w.-]+\.(?:ya?ml|json))\n/.exec(text)?.[1];
}
