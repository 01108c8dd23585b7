import { clusterTest } from "../control_plane/mod.ts";
import { nodeSupport } from "./support.ts";

const unsupported = await nodeSupport();
let told = false;

/** Registers a test that needs a node; where none can be had it is reported as ignored, and why is said once. */
export function nodeTest(name: string, fn: (t: Deno.TestContext) => void | Promise<void>): void {
  if (unsupported === undefined) return clusterTest(name, fn);
  if (!told) {
    told = true;
    console.error(`Tests with Pods are left out: ${unsupported}.`);
  }
  Deno.test({ name, ignore: true, fn });
}
