#!/usr/bin/env -S deno run --allow-all
/**
 * The program: `chancery COMMAND`.
 * @module
 */
import { main, SOURCE_PARTS } from "./src/cli/start/mod.ts";

if (import.meta.main) Deno.exit(await main(Deno.args, SOURCE_PARTS));
