import { type CompiledSpec, compileSpec } from "../../snapshot/mod.ts";
import { keyOf } from "../engine/object_source.ts";
import type { ConfigInput } from "./inputs.ts";

/** The compiled spec of a config that can be read. */
export function compiledConfig({ object, read }: ConfigInput): CompiledSpec | undefined {
  return read.config && compileSpec(read.config.spec, keyOf(object).namespace);
}
