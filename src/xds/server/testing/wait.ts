/** Waits for a condition; says what it waited for when it does not come true in time. */
export async function until(what: string, condition: () => boolean, deadlineMs = 5_000): Promise<void> {
  const end = performance.now() + deadlineMs;
  while (!condition()) {
    if (performance.now() > end) throw new Error(`Waited ${deadlineMs} ms in vain: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}
