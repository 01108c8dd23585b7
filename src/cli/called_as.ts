import process from "node:process";
import { type ProgramName, programName } from "./program_name.ts";

/** How this process was called. Apart from the terminal, since anything of `node:` costs an agent 8 MB. */
export function calledAs(): ProgramName {
  return programName((name) => Deno.env.get(name), [process.argv0, Deno.mainModule]);
}
