import { expect } from "expect";
import { commandsOf, fileNameOf, parseBlocks } from "./blocks.ts";

const DOCUMENT = `# Title

## One

\`\`\`sh
a --b   # why
# a comment alone
c \\
  d
\`\`\`

### Two

\`\`\`console
$ e
  f

$ g
\`\`\`

## Three

\`\`\`yaml
# h.yaml
i: 1
\`\`\`
`;

Deno.test("parseBlocks() tells the language, the headings and the line of each block", () => {
  expect(parseBlocks(DOCUMENT).map(({ language, section, line }) => [language, section, line])).toEqual([
    ["sh", ["One"], 5],
    ["console", ["One", "Two"], 14],
    ["yaml", ["Three"], 23],
  ]);
  expect(() => parseBlocks("# Title\n```sh\na\n")).toThrow("the block of line 2 has no end");
});

Deno.test("commandsOf() takes each line of sh, and of console what follows a dollar, with its output", () => {
  const [sh, console] = parseBlocks(DOCUMENT);
  expect(commandsOf(sh!)).toEqual([
    { command: "a --b   # why", shown: undefined },
    { command: "c \\\n  d", shown: undefined },
  ]);
  expect(commandsOf(console!)).toEqual([{ command: "e", shown: ["  f"] }, { command: "g", shown: [] }]);
  expect(() => commandsOf({ language: "console", text: "f\n" })).toThrow("begins with a command");
});

Deno.test("fileNameOf() reads the comment of the first line", () => {
  expect(parseBlocks(DOCUMENT).map(fileNameOf)).toEqual([undefined, undefined, "h.yaml"]);
});
