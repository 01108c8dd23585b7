import type { Finding } from "../../base/mod.ts";
import type { ItemType } from "../../envoy/mod.ts";
import type { BuiltItem } from "../build.ts";
import { slicesSource } from "../used_sources.ts";

/** Types that are there to be asked for, and who asks. Listeners and runtime are asked for by the bootstrap. */
const ASKED_BY: Partial<Record<ItemType, string>> = {
  cluster: "no route, filter or other cluster names it",
  endpoint: "no EDS cluster of this EnvoyConfig asks for it",
  secret: "no TLS context or filter asks for it",
  route: "no listener or scope asks for it",
  scopedRoute: "no listener asks for scoped routes",
  virtualHost: "its route configuration has no vhds",
  extensionConfig: "no filter is configured by config_discovery under this name",
};

/**
 * Resources that nothing in the EnvoyConfig asks for. Says nothing of clusters where names may be chosen out of sight, nor of
 * what the objects at hand do not give, unless those come later: its name is known without them.
 */
export function unusedResources(
  built: readonly BuiltItem[],
  { sourcesComeLater }: { sourcesComeLater: boolean },
): Finding[] {
  const asked = new Set<string>();
  let hidden = false;
  for (const { examined, resource } of built) {
    hidden ||= examined?.namesHidden === true;
    for (const { item: type, name } of examined?.references ?? []) {
      asked.add(`${type} ${type === "virtualHost" && name === "" ? resource?.name ?? "" : name}`);
    }
  }
  return built.flatMap(({ item: { item, path, secretName }, resource }) => {
    const why = ASKED_BY[item.type];
    const name = resource?.name ?? (sourcesComeLater ? secretName ?? slicesSource(item)?.clusterName : undefined);
    if (name === undefined || why === undefined || (hidden && item.type === "cluster")) return [];
    const key = item.type === "scopedRoute" ? "" : item.type === "virtualHost" ? item.routeConfiguration ?? "" : name;
    if (asked.has(`${item.type} ${key}`)) return [];
    const message = `${item.type} ${JSON.stringify(name)} is not used: ${why}`;
    return [{ severity: "warning", path, message, rule: "unused", value: name }];
  });
}
