/**
 * How MARIN3R's programs are known. Apart from `migrate/mod.ts`, so that our operator can look for them without all that else is there.
 * @module
 */
export { type Deployment, isWorkingOperator, olderRole } from "./older_role.ts";
