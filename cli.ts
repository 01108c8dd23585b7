#!/usr/bin/env -S deno run --allow-all
/**
 * The program: `chancery COMMAND`.
 * @module
 */
import { runCli, terminalContext } from "./src/cli/mod.ts";

if (import.meta.main) Deno.exit(await runCli(Deno.args, terminalContext()));
