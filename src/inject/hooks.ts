import type { Finding } from "../base/mod.ts";
import type { Additions } from "./additions.ts";
import { PREFIX } from "./annotations/names.ts";
import { quoted } from "./annotations/reader.ts";
import { isObject, listIn, namesIn, objectIn } from "./json.ts";

/**
 * The hooks that make containers of the user wait for the drain. They ask for its end and do not begin one of their own;
 * a hook that a
 * container has is never replaced (C11).
 */
export function extraHooks(
  spec: unknown,
  { names, port, injected }: { names: readonly string[]; port: number; injected: readonly string[] },
): { hooks: Additions["hooks"]; findings: Finding[] } {
  const findings: Finding[] = [];
  const hooks: Additions["hooks"][number][] = [];
  const refuse = (message: string) =>
    findings.push({
      severity: "error",
      path: ["metadata", "annotations", `${PREFIX}shutdown-manager.extra-lifecycle-hooks`],
      message,
      rule: "annotation",
    });
  for (const name of names) {
    if (injected.includes(name)) continue; // it has one
    const found = (["containers", "initContainers"] as const).map((list) => ({
      list,
      index: listIn(spec, list).findIndex((one) => isObject(one) && one.name === name),
    })).find(({ index }) => index >= 0);
    if (!found) {
      const all = namesIn(listIn(spec, "containers")).slice(0, 20).map(quoted).join(", ");
      refuse(`the pod has no container ${quoted(name)}, only ${all}`);
      continue;
    }
    const container = listIn(spec, found.list)[found.index];
    if (found.list === "initContainers" && (container as { restartPolicy?: unknown }).restartPolicy !== "Always") {
      refuse(`init container ${quoted(name)} has ended long before, and cannot have a hook`);
    } else if (isObject(objectIn(container, "lifecycle").preStop)) {
      refuse(
        `container ${quoted(name)} has a preStop hook already, which is not replaced; ` +
          `let it ask http://localhost:${port}/shutdown, which answers after the drain`,
      );
    } else hooks.push({ ...found, preStop: { httpGet: { path: "/shutdown", port, scheme: "HTTP" } } });
  }
  return { hooks, findings };
}
