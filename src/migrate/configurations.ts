import { API_VERSION, type EnvoyConfig, LEGACY_FINALIZER } from "../api/mod.ts";
import { formatFinding } from "../base/mod.ts";
import { BOOTSTRAP } from "../bootstrap/mod.ts";
import type { Registry } from "../envoy/mod.ts";
import { finalizersOf, type KubeObject, objectTitle } from "../install/mod.ts";
import { inspectEnvoyConfig, sourcesOf } from "../snapshot/mod.ts";
import { byAge } from "../reconcile/engine/mod.ts";
import { counted } from "./counted.ts";
import type { Inventory } from "./inventory.ts";
import { type Remark, remarkOn } from "./remark.ts";

/** What users write. */
export const CONFIGS = { apiVersion: API_VERSION, kind: "EnvoyConfig" } as const;
/** What is kept of it. */
export const REVISIONS = { apiVersion: API_VERSION, kind: "EnvoyConfigRevision" } as const;

const NOTHING = sourcesOf([], []);

/** EnvoyConfigs that are served otherwise, or can be changed only once they are mended. */
export function configurations(inventory: Inventory, registry: Registry): Remark[] {
  const configs = inventory.of<Partial<Pick<EnvoyConfig, "spec">>>(CONFIGS);
  const revisions = inventory.of(REVISIONS);
  const held = revisions.filter((revision) => finalizersOf(revision).includes(LEGACY_FINALIZER)).length;
  const remarks = configs.flatMap((config) => mistakes(config, registry));
  remarks.push(...sharedNodeIds(configs));
  if (configs.length > 0) {
    const taken = held === 0 ? "" : `; the finalizer of ${held} of these is taken off`;
    remarks.push({
      weight: "stays",
      object: null,
      message: `${counted(configs.length, "EnvoyConfig")}, with at most one new revision each, and ` +
        `${counted(revisions.length, "revision")}${taken}`,
      next: null,
    });
  }
  return remarks;
}

/** Of references it cannot be said here whether they lead anywhere: Secrets are not read. */
function mistakes(config: KubeObject, registry: Registry): Remark[] {
  const { findings } = inspectEnvoyConfig(config, {
    registry,
    strict: false,
    staticClusters: [BOOTSTRAP.cluster],
    sources: () => NOTHING,
  });
  const [first, ...more] = findings.filter(({ severity }) => severity === "error");
  if (!first) return [];
  const others = more.length === 0 ? "" : ` (and ${more.length} more)`;
  return [remarkOn(config, "changes", {
    message: `what is good of it is served; a change of its spec is refused until it is mended: ${
      formatFinding(first).replace(/^error: /, "")
    }${others}`,
  })];
}

function sharedNodeIds(configs: readonly (KubeObject & Partial<Pick<EnvoyConfig, "spec">>)[]): Remark[] {
  const byNode = Map.groupBy(configs, ({ metadata, spec }) => `${metadata.namespace} ${spec?.nodeID}`);
  return [...byNode.values()].flatMap((sharing) => {
    const [oldest, ...others] = byAge(sharing.map((object) => ({ object })));
    return others.map(({ object }) =>
      remarkOn(object, "changes", {
        message: `it has the node id of ${
          objectTitle(oldest!.object)
        }, which is older and is served alone; they took turns before`,
      })
    );
  });
}
