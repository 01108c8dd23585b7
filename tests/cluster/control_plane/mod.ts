/**
 * A real Kubernetes control plane for tests, without nodes: etcd, kube-apiserver, kube-controller-manager and kube-scheduler as
 * processes on 127.0.0.1, ready in about 3 s, and the real kubectl. Tests that only need an API server share one and make
 * themselves a namespace; tests that stop, freeze or configure something start one of their own.
 *
 * ```ts
 * clusterTest("a namespace is empty", async () => {
 *   const cluster = await sharedControlPlane();
 *   const { stdout } = await cluster.kubectl(["get", "pods", "-n", await cluster.namespace(), "-o", "name"]);
 *   expect(stdout).toBe("");
 * });
 * ```
 * @module
 */
import { ControlPlane } from "./control_plane.ts";
import { whyUnavailable } from "./executables.ts";
import { type ControlPlaneOptions, startSupervisor } from "./start.ts";

export { type Component, COMPONENTS } from "./component.ts";
export { type CommandResult, ControlPlane } from "./control_plane.ts";
export type { PolicyRule, ServiceAccountOptions } from "./service_account.ts";
export { findExecutables, whyUnavailable } from "./executables.ts";
export { type ControlPlaneOptions } from "./start.ts";

/** Environment variable with the folder of the control plane that a whole test run shares. */
export const SHARED_CONTROL_PLANE = "CHANCERY_TEST_CLUSTER";

/** Starts a control plane of one's own, which ends with `await using`, or at the latest with this process. */
export async function startControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  return await ControlPlane.at(await startSupervisor(options), { shared: false });
}

let shared: Promise<string> | undefined;

/** The control plane of this test run; without a run, one that all tests of this process share. Writes an audit log. */
export async function sharedControlPlane(): Promise<ControlPlane> {
  const given = Deno.env.get(SHARED_CONTROL_PLANE);
  const directory = given || await (shared ??= startSupervisor({ audit: true }));
  return await ControlPlane.at(directory, { shared: true });
}

const unavailable = await whyUnavailable();
let told = false;

/** Registers a test that needs a control plane; where none can be had it is reported as ignored, and why is said once. */
export function clusterTest(
  name: string,
  fn: (t: Deno.TestContext) => void | Promise<void>,
  options: Omit<Deno.TestDefinition, "name" | "fn"> = {},
): void {
  if (unavailable !== undefined && !told) {
    told = true;
    console.error(`Tests on a real API server are left out. ${unavailable}`);
  }
  Deno.test({ ...options, name, ignore: unavailable !== undefined || (options.ignore ?? false), fn });
}
