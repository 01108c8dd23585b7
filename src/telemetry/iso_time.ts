const DAY_MS = 86_400_000;

/**
 * A time as `Date` writes it, `2026-01-31T12:00:00.000Z`, by the calendar's arithmetic alone: a `Date` loads the tables of time zones,
 * which are 2 MB in every pod for a line of log.
 * @param ms milliseconds since the Unix epoch, of the years 0 to 9999
 */
export function isoTime(ms: number): string {
  const days = Math.floor(ms / DAY_MS);
  const rest = ms - days * DAY_MS;
  // Years that begin in March have their leap day at the end; 400 of them are an era.
  const shifted = days + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1_460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const fromMarch = Math.floor((5 * dayOfYear + 2) / 153);
  const day = dayOfYear - Math.floor((153 * fromMarch + 2) / 5) + 1;
  const month = fromMarch < 10 ? fromMarch + 3 : fromMarch - 9;
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0);
  const two = (value: number) => String(Math.floor(value)).padStart(2, "0");
  const time = `${two(rest / 3_600_000)}:${two(rest / 60_000 % 60)}:${two(rest / 1_000 % 60)}`;
  return `${String(year).padStart(4, "0")}-${two(month)}-${two(day)}T${time}.${
    String(Math.floor(rest % 1_000)).padStart(3, "0")
  }Z`;
}
