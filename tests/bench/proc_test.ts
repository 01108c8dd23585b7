import { expect } from "expect";
import { cpuSeconds, cpuSecondsOf, memoryOf, openFilesOf, peakBytes, resetPeak, residentBytes } from "./proc.ts";

Deno.test("cpuSecondsOf() counts fields behind a command name that holds brackets and spaces", () => {
  expect(cpuSecondsOf("42 (a b) c) S 1 42 42 0 -1 4194304 5087 1 0 0 123 77 0 0 20 0 11 0 99 0")).toBe(2);
});

Deno.test("memoryOf() reads kilobytes and refuses what is not there", () => {
  expect(memoryOf("Name:\tx\nVmHWM:\t    2048 kB\nVmRSS:\t    1024 kB\n", "VmRSS")).toBe(1 << 20);
  expect(() => memoryOf("Name:\tx\n", "VmHWM")).toThrow("Cannot find VmHWM");
});

Deno.test("openFilesOf() understands numbers and unlimited", () => {
  expect(openFilesOf("Limit  Soft Limit\nMax open files            1024                 unlimited            files\n"))
    .toEqual({
      soft: 1024,
      hard: Infinity,
    });
});

Deno.test({
  name: "This process has a CPU time, and a peak that can start anew",
  ignore: Deno.build.os !== "linux",
  fn() {
    expect(cpuSeconds(Deno.pid)).toBeGreaterThan(0);
    const large = new Uint8Array(64 << 20).fill(1);
    expect(peakBytes(Deno.pid)).toBeGreaterThanOrEqual(large.length);
    expect(residentBytes(Deno.pid)).toBeLessThanOrEqual(peakBytes(Deno.pid));
    if (resetPeak(Deno.pid)) expect(peakBytes(Deno.pid)).toBeLessThan(residentBytes(Deno.pid) + (64 << 20));
  },
});
