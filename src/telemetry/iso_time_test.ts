import { expect } from "expect";
import fc from "fast-check";
import { isoTime } from "./iso_time.ts";

Deno.test("isoTime() writes every moment as Date does", () => {
  const days = ["1970-01-01", "1999-12-31", "2000-02-29", "2024-02-29", "2100-03-01", "0000-01-01", "9999-12-31"];
  for (const day of days) {
    for (const time of ["00:00:00.000", "23:59:59.999", "12:34:56.007"]) {
      expect(isoTime(Date.parse(`${day}T${time}Z`))).toBe(`${day}T${time}Z`);
    }
  }
  const years = {
    min: new Date("0000-01-01T00:00:00.000Z"),
    max: new Date("9999-12-31T23:59:59.999Z"),
    noInvalidDate: true,
  };
  fc.assert(fc.property(fc.date(years), (date) => expect(isoTime(date.getTime())).toBe(date.toISOString())), {
    numRuns: 2_000,
  });
});
