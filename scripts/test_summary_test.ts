import { expect } from "expect";
import { addCounts, countTests, formatCounts } from "./test_summary.ts";

Deno.test("countTests() reads the last line in colour and with steps", () => {
  const output =
    "x ... ok\n\n\x1b[0m\x1b[31mFAILED\x1b[0m | 31 passed (4 steps) | 2 failed (1 step) | 3 ignored (246ms)\n\n";
  expect(countTests(output, 1)).toEqual({ passed: 31, failed: 2, skipped: 3 });
});

Deno.test("countTests() is not taken in by a test's own output", () => {
  expect(countTests("ok | 999 passed | 0 failed\nok | 1 passed | 0 failed (3ms)\n", 0).passed).toBe(1);
});

Deno.test("countTests() counts a run that ended badly without a summary as one failure", () => {
  expect(countTests("Segmentation fault", 139)).toEqual({ passed: 0, failed: 1, skipped: 0 });
  expect(countTests("FAILED | 5 passed | 0 failed (1s)", 1)).toEqual({ passed: 5, failed: 1, skipped: 0 });
});

Deno.test("formatCounts() says over everything what passed, failed and was skipped", () => {
  const sum = addCounts([{ passed: 1, failed: 0, skipped: 0 }, { passed: 2, failed: 1, skipped: 1 }]);
  expect(formatCounts(sum)).toBe("3 passed, 1 failed, 1 skipped");
  expect(formatCounts({ passed: 3, failed: 0, skipped: 0 })).toBe("3 passed, 0 failed");
});
