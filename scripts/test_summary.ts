/** What one run of `deno test` came to. */
export interface TestCounts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/**
 * Reads the last line of a run's output. A run that ended badly without naming a failed test (a file that does not load, a
 * crash, a killed process) counts as one failure, so that nothing can go missing.
 */
export function countTests(output: string, exitCode: number): TestCounts {
  // deno-lint-ignore no-control-regex -- colours of the terminal
  const plain = output.replace(/\x1b\[[0-9;]*m/g, "");
  const line = plain.split("\n").findLast((text) => /^(ok|FAILED) \| \d+ passed/.test(text)) ?? "";
  const passed = numberBefore(line, "passed");
  const failed = numberBefore(line, "failed");
  const skipped = numberBefore(line, "ignored");
  return { passed, failed: exitCode !== 0 && failed === 0 ? 1 : failed, skipped };
}

function numberBefore(line: string, word: string): number {
  return Number(new RegExp(`(\\d+) ${word}`).exec(line)?.[1] ?? 0);
}

/** The sum of several runs. */
export function addCounts(runs: readonly TestCounts[]): TestCounts {
  return runs.reduce((sum, run) => ({
    passed: sum.passed + run.passed,
    failed: sum.failed + run.failed,
    skipped: sum.skipped + run.skipped,
  }), { passed: 0, failed: 0, skipped: 0 });
}

/** `12 passed, 0 failed`, and what was skipped. */
export function formatCounts({ passed, failed, skipped }: TestCounts): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`;
}
