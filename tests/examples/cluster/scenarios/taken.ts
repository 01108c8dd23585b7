import { expect } from "expect";
import { filesOf, OTHER_FILES } from "../../example_folder.ts";
import { type Example, NAMESPACE } from "../example.ts";

const FOLDERS = [
  ...["deprecated-form", "direct-response", "discovered-routes", "every-type", "extension-config", "mutual-tls"],
  ...["secret-ref", "self-healing"],
];

/** What the user is warned of; nothing where a file is not named. */
const WARNINGS: Readonly<Record<string, RegExp>> = {
  "deprecated-form/1_deprecated.yaml": /^Warning: .*envoyResources is deprecated/m,
  "secret-ref/1_ref.yaml": /^Warning: .*ref is ignored/m,
  "self-healing/2_unknown_cluster.yaml": /^Warning: .*cluster "nowhere" is not in this EnvoyConfig/m,
};

/** Examples that are seen without a cluster, too: here they are taken by an API server with the webhook, and published. */
export async function taken(example: Example): Promise<void> {
  const { scene } = example;
  const condition = async () => {
    const { status } = await scene.get<{ status?: { conditions?: readonly { type: string; reason: string }[] } }>(
      "marin3r.3scale.net/v1alpha1/envoyconfigs/secret-ref",
    );
    return status?.conditions?.find(({ type }) => type === "ResourcesResolved")?.reason;
  };
  for (const folder of FOLDERS) {
    for (const file of filesOf(folder).filter((file) => !OTHER_FILES.has(`${folder}/${file}`)).sort(stepsLast)) {
      const path = new URL(`../../../../manifests/examples/${folder}/${file}`, import.meta.url).pathname;
      const { code, stderr } = await scene.cluster.kubectl(["apply", "-n", NAMESPACE, "-f", path]);
      expect([file, code, stderr]).toEqual([file, 0, expect.stringMatching(WARNINGS[`${folder}/${file}`] ?? /^$/)]);
      if (file === "1_ref.yaml") {
        await example.until("the Secret to be missed", async () => await condition() === "SecretNotFound");
      }
    }
  }
  await example.until("the Secret to be found", async () => await condition() === "AllResolved");
  await example.until("all to be in sync", async () => {
    const { items } = await scene.get<
      { items: readonly { metadata: { name: string }; status?: { cacheState?: string } }[] }
    >(
      "marin3r.3scale.net/v1alpha1/envoyconfigs",
    );
    const names = FOLDERS.map((folder) => folder === "mutual-tls" ? "envoy1" : folder);
    return names.every((name) => {
      return items.find(({ metadata }) => metadata.name === name)?.status?.cacheState === "InSync";
    });
  });
}

function stepsLast(a: string, b: string): number {
  return Number(/^\d/.test(a)) - Number(/^\d/.test(b)) || (a < b ? -1 : 1);
}
