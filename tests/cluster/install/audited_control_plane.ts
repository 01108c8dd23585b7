import { type ControlPlane, startControlPlane } from "../control_plane/mod.ts";
import { POLICY } from "./audited_rights.ts";

/**
 * A control plane that notes what service accounts do and whether they may, and that is as strict as some are.
 * It ends with `parts`.
 */
export async function auditedControlPlane(parts: AsyncDisposableStack): Promise<ControlPlane> {
  const folder = await Deno.makeTempDir({ prefix: "install-" });
  parts.defer(() => Deno.remove(folder, { recursive: true }));
  await Deno.writeTextFile(`${folder}/audit.yaml`, JSON.stringify(POLICY));
  const apiserverFlags = [
    `--audit-policy-file=${folder}/audit.yaml`,
    // As on OpenShift: whoever says that an object is owned needs a right for it. The other plugin is the node's.
    "--enable-admission-plugins=PodNodeSelector,OwnerReferencesPermissionEnforcement",
    // As before Kubernetes 1.34: a watch does not begin with all there is, which has to be listed.
    "--feature-gates=WatchList=false",
  ];
  return parts.use(await startControlPlane({ audit: true, apiserverFlags }));
}
