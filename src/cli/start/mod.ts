/**
 * How the program starts: apart from the rest of the command line, which the agents of a pod do without. Deno reads the files behind
 * all literal paths of `import()` before it begins, which takes an agent twice as long and a third more memory; `as string` hides a
 * path from it, and not from the bundler.
 * @module
 */
export { main } from "./main.ts";
