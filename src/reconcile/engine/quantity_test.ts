import { expect } from "expect";
import { sameQuantity } from "./quantity.ts";

for (
  const [one, other] of [
    ["0.25", "250m"],
    [1, "1"],
    ["1", "1000m"],
    ["0.5Gi", "512Mi"],
    ["1024Mi", "1Gi"],
    ["1e3", "1k"],
    ["100M", "1E8"],
    ["-.5", "-500m"],
  ] as const
) {
  Deno.test(`sameQuantity() takes ${JSON.stringify(one)} for ${JSON.stringify(other)}`, () => {
    expect(sameQuantity(one, other)).toBe(true);
  });
}

for (const [one, other] of [["1", "1m"], ["1M", "1Mi"], ["1", "much"], ["", ""], ["1x", "1x"]] as const) {
  Deno.test(`sameQuantity() tells ${JSON.stringify(one)} from ${JSON.stringify(other)}`, () => {
    expect(sameQuantity(one, other)).toBe(false);
  });
}
