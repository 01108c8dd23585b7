import type { AnyCommand } from "../command.ts";

/** What is loaded only when a command line asks for it. */
export interface Parts {
  /** All that is for people: parser, help, every command. */
  whole(): Promise<typeof import("../mod.ts")>;
  /** Commands that run in every pod, where each megabyte counts as often as there are pods. */
  readonly agents: Readonly<Record<string, () => Promise<{ readonly command: AnyCommand }>>>;
}
