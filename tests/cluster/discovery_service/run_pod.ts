import type { ControlPlane } from "../control_plane/mod.ts";

/** Makes a pod and tells of it what its kubelet would, were there one: that it is Ready, and its address. Gives its UID. */
export async function runPod(
  { cluster, namespace }: { readonly cluster: ControlPlane; readonly namespace: string },
  name: string,
  at: { readonly labels: Readonly<Record<string, string>>; readonly ip: string },
): Promise<string> {
  const metadata = { name, labels: at.labels };
  const spec = {
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    containers: [{ name: "main", image: "none.invalid/none" }],
  };
  const path = `/api/v1/namespaces/${namespace}/pods`;
  const made = await cluster.request("POST", path, { apiVersion: "v1", kind: "Pod", metadata, spec });
  const conditions = [{ type: "Ready", status: "True", lastTransitionTime: "2026-01-01T00:00:00Z" }];
  const status = { phase: "Running", podIP: at.ip, podIPs: [{ ip: at.ip }], conditions };
  await cluster.request("PATCH", `${path}/${name}/status`, { status }, "application/merge-patch+json");
  return (made as { metadata: { uid: string } }).metadata.uid;
}
