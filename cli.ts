#!/usr/bin/env -S deno run --allow-all
/**
 * The program: `chancery COMMAND`. Not to be imported; without an await of its own, since what it is bundled to is a function.
 * @module
 */
import { main } from "./src/cli/start/mod.ts";

main(Deno.args).then((status) => Deno.exit(status));
