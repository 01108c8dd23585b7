/**
 * Whether a file is fit for Envoy. A door of its own, loaded when the first changed file is to be looked at: the words of Envoy
 * are most of the program's weight.
 * @module
 */
export { checkFile, type CheckOptions } from "./check_file.ts";
