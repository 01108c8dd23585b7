import { eventually } from "../envoy/harness/mod.ts";
import { type Block, commandsOf, fileNameOf, type Typed } from "./blocks.ts";
import { Likeness } from "./likeness.ts";
import type { Terminal } from "./terminal.ts";

/** What a document cannot say about its commands. */
export interface Manners {
  /** Commands that go on until Ctrl-C: they are left running, and what is shown of their output comes in time. */
  readonly untilInterrupted: readonly string[];
  /** Questions: who gets another answer than the one that is shown asks again. */
  readonly askedAgain: RegExp;
  /** Changes: nobody types one within a second of what was before it. Times of creation have whole seconds, and order what is shown. */
  readonly thoughtOver: RegExp;
  /** Exit status of those that are shown to fail, by the beginning of the command. */
  readonly statuses: Readonly<Record<string, number>>;
}

const DEADLINE_MS = 60_000;
const SECOND_MS = 1_000;

/** Somebody who reads a document and does what it says: saves files, types commands, compares what is printed. */
export class Reader {
  readonly #terminal: Terminal;
  readonly #manners: Manners;
  readonly #likeness = new Likeness();
  /** What the commands that go on have printed. */
  readonly #running: (() => Promise<string>)[] = [];

  constructor(terminal: Terminal, manners: Manners) {
    this.#terminal = terminal;
    this.#manners = manners;
  }

  /** Does what a block says. @throws {Error} when something else comes of it */
  async follow(block: Block): Promise<void> {
    const file = fileNameOf(block);
    if (file !== undefined) return await this.#save(file, block.text);
    if (block.language === "text") return await this.#watch(block.text.trimEnd().split("\n"));
    if (!["sh", "console"].includes(block.language)) return;
    for (const typed of commandsOf(block)) await this.#type(typed);
  }

  async #save(name: string, text: string): Promise<void> {
    const { output } = await this.#terminal.type("pwd");
    await Deno.writeTextFile(`${output.trim()}/${name}`, text);
  }

  async #type({ command: written, shown }: Typed): Promise<void> {
    const command = this.#likeness.translated(written);
    const { untilInterrupted, askedAgain, thoughtOver, statuses } = this.#manners;
    if (thoughtOver.test(command)) await new Promise((resolve) => setTimeout(resolve, SECOND_MS));
    if (untilInterrupted.some((one) => command.startsWith(one))) {
      this.#running.push(await this.#terminal.leave(command));
      return await this.#watch(shown ?? []);
    }
    const status = Object.entries(statuses).find(([one]) => command.startsWith(one))?.[1] ?? 0;
    const once = async () => {
      const { code, output } = await this.#terminal.type(command);
      const different = code === status ? this.#different(shown, output) : `it ended with ${code}`;
      if (different !== undefined) throw new Error(`$ ${command}\n${output}\n${different}`);
    };
    await (askedAgain.test(command) ? this.#again(command, once) : once());
  }

  #different(shown: readonly string[] | undefined, output: string): string | undefined {
    return shown === undefined ? undefined : this.#likeness.difference(shown, output);
  }

  /** Waits until one of the commands that go on has printed this. */
  async #watch(shown: readonly string[]): Promise<void> {
    if (this.#running.length === 0) throw new Error("No command goes on that could print this");
    await this.#again(shown[0] ?? "nothing", async () => {
      const outputs = await Promise.all(this.#running.map((read) => read()));
      const different = outputs.map((output) => this.#likeness.difference(["…", ...shown, "…"], output));
      if (!different.includes(undefined)) throw new Error(`${different.join("; ")}:\n${outputs.join("\n──\n")}`);
    });
  }

  async #again(what: string, once: () => Promise<void>): Promise<void> {
    await eventually(() => once().then(() => true), { what, deadlineMs: DEADLINE_MS });
  }
}
