/**
 * Files for Envoy from ConfigMaps: `chancery loader`. Pure: what is wanted (`collect.ts`) and the way there (`plan.ts`); at the
 * edges the API server (`api/`), the disk (`output/`) and Envoy's admin interface. Loads no library until a file has changed.
 * @module
 */
export { LOADER_EXIT } from "./failure.ts";
export type { LoaderValues } from "./options.ts";
export type { HeldFile, Plan, Present, Step } from "./plan.ts";
export { type LoaderHost, runLoader } from "./run.ts";
