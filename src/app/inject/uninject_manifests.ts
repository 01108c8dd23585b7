import { uninjectPod } from "../../inject/mod.ts";
import { type EditedManifests, editManifests } from "./edit_manifests.ts";

/**
 * Takes the sidecar out of each pod and each template of pods that has one, from whomever it has it. Everything else stays as it was
 * written, comments included.
 */
export function uninjectManifests(
  text: string,
  options: { readonly file: string; readonly namespace: string },
): EditedManifests {
  return editManifests(text, {
    ...options,
    plan: () => ({ pod }) => {
      const plan = uninjectPod(pod);
      return plan.kind === "absent" ? undefined : plan;
    },
  });
}
