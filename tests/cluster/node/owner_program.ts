/**
 * A process that owns a node until it is killed, for the tests of what is left then. Arguments: a kubeconfig and a namespace. Prints
 * the node's name.
 * @module
 */
import { startNode } from "./mod.ts";

if (import.meta.main) {
  const [kubeconfig = "", namespace = ""] = Deno.args;
  const node = await startNode({ controlPlane: { kubeconfig }, namespaces: [namespace], images: { sh: {} } });
  console.log(node.names[0]);
}
