/**
 * A newcomer: a clone and a home in which nothing is, and the time that a command takes there.
 * @module
 */
export { clone, freshEnvironment } from "./fresh.ts";
export { untilAnswered, untilEnded } from "./timed.ts";
