/** Options of {@linkcode eventually}. */
export interface EventuallyOptions {
  /** What is waited for, for the error. */
  readonly what: string;
  /** Default 60 s, for machines that have much else to do. */
  readonly deadlineMs?: number;
  /** Added to the error: whatever explains the wait. */
  readonly explain?: () => string | Promise<string>;
}

/** Thrown by a question to say that asking again is pointless. */
export class Hopeless extends Error {
  override readonly name = "Hopeless";
}

/**
 * Asks again and again until the answer is neither `undefined` nor `false` and nothing is thrown, and gives it back.
 * @throws {Error} after the deadline or when it is hopeless, with the last answer or error
 */
export async function eventually<T>(
  ask: () => T | Promise<T>,
  options: EventuallyOptions,
): Promise<Exclude<T, undefined | false>> {
  const { what, deadlineMs = 60_000 } = options;
  const start = performance.now();
  let last: unknown;
  do {
    try {
      const answer = await ask();
      // The two values that mean "not yet" are excluded by the condition.
      if (answer !== undefined && answer !== false) return answer as Exclude<T, undefined | false>;
      last = answer;
    } catch (error) {
      last = error;
      if (error instanceof Hopeless) break;
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  } while (performance.now() - start < deadlineMs);
  const shown = last instanceof Error ? last.message : JSON.stringify(last);
  const explained = options.explain ? `\n${await options.explain()}` : "";
  const waited = Math.round(performance.now() - start);
  throw new Error(`Waited ${waited} ms in vain for ${what}; last: ${shown}${explained}`, { cause: last });
}
