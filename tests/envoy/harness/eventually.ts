/** Options of {@linkcode eventually}. */
export interface EventuallyOptions {
  /** What is waited for, for the error. */
  readonly what: string;
  /** Default 10 s. */
  readonly deadlineMs?: number;
  /** Added to the error: whatever explains the wait. */
  readonly explain?: () => string | Promise<string>;
}

/**
 * Asks again and again until the answer is neither `undefined` nor `false` and nothing is thrown, and gives it back.
 * @throws {Error} after the deadline, with the last answer or error
 */
export async function eventually<T>(
  ask: () => T | Promise<T>,
  options: EventuallyOptions,
): Promise<Exclude<T, undefined | false>> {
  const { what, deadlineMs = 10_000 } = options;
  const end = performance.now() + deadlineMs;
  let last: unknown;
  do {
    try {
      const answer = await ask();
      // The two values that mean "not yet" are excluded by the condition.
      if (answer !== undefined && answer !== false) return answer as Exclude<T, undefined | false>;
      last = answer;
    } catch (error) {
      last = error;
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  } while (performance.now() < end);
  const shown = last instanceof Error ? last.message : JSON.stringify(last);
  const explained = options.explain ? `\n${await options.explain()}` : "";
  throw new Error(`Waited ${deadlineMs} ms in vain for ${what}; last: ${shown}${explained}`, { cause: last });
}
