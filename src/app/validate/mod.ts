/**
 * Looks at files of manifests as a whole and tells everything that is wrong with them.
 * @module
 */
export { type InputFile, readInputs, STDIN, STDIN_NAME } from "./inputs.ts";
export { type FileObject, objectsOf } from "./objects.ts";
export type { ReportedFinding, ValidateReport } from "./report.ts";
export { runValidate, type RunValidateOptions } from "./run.ts";
export {
  cacheFolder,
  openSecondOpinion,
  type Question,
  removeOpenFolders,
  type SecondOpinion,
  type SecondOpinionOptions,
} from "./second_opinion/mod.ts";
export { validate, type ValidateOptions } from "./validate.ts";
