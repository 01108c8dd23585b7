/** Names the program that tests start instead of the sources: a bundle of them, which starts in less than half of the time. */
export const PROGRAM_UNDER_TEST = "CHANCERY_UNDER_TEST";

/** Path of the program that tests start with `deno run`. */
export const CLI = Deno.env.get(PROGRAM_UNDER_TEST) ??
  decodeURIComponent(new URL("../cli.ts", import.meta.url).pathname);
