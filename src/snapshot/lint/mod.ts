/**
 * The look at one resource by itself. A door of its own, since those who read single files need nothing else of a snapshot.
 * @module
 */
export { type Examined, examineResource } from "./examine.ts";
