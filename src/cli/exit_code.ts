import { ChanceryError } from "../base/mod.ts";

/** What the end of a command means; the same for every subcommand. */
export const EXIT = {
  /** As wished. */
  ok: 0,
  /** There is a difference, or there are findings. */
  differs: 1,
  /** Wrong usage, or the question could not be asked. */
  usage: 2,
  /** Envoy refused. */
  refused: 3,
  /** Time ran out. */
  timeout: 4,
  /** Ended from outside. */
  interrupted: 130,
} as const;

/** The explanation in every `--help`. */
export const EXIT_HELP = "Exit status: 0 as wished · 1 differs, or findings · 2 wrong usage, or could not ask · " +
  "3 Envoy refused · 4 time ran out · 130 interrupted";

/** A mistake in the command line; shown with a pointer to `--help`. */
export class UsageError extends ChanceryError {
  constructor(message: string) {
    super("invalid-input", message);
  }
}
