/**
 * How the program starts: apart from the rest of the command line, which the agents of a pod do without.
 * @module
 */
export { main } from "./main.ts";
export { SOURCE_PARTS } from "./source_parts.ts";
