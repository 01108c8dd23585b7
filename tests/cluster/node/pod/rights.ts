import type { Rights } from "../machine/container_script.ts";
import type { Image } from "./image.ts";
import type { Container, Pod } from "./pod.ts";

/** What container runtimes leave to a container that asks for nothing. */
const DEFAULT_CAPABILITIES = [
  "audit_write",
  "chown",
  "dac_override",
  "fowner",
  "fsetid",
  "kill",
  "mknod",
  "net_bind_service",
  "net_raw",
  "setfcap",
  "setgid",
  "setpcap",
  "setuid",
  "sys_chroot",
];

/** The user and capabilities of a container. @throws {Error} in the kubelet's words when it may not be root and would be */
export function rightsOf({ spec }: Pod, container: Container, image: Image): Rights {
  const pod = spec.securityContext ?? {};
  const own = container.securityContext ?? {};
  const user = own.runAsUser ?? pod.runAsUser ?? image.user ?? 0;
  if ((own.runAsNonRoot ?? pod.runAsNonRoot) && user === 0) {
    throw new Error("container has runAsNonRoot and image will run as root");
  }
  return {
    user,
    group: own.runAsGroup ?? pod.runAsGroup ?? image.user ?? 0,
    groups: [...pod.supplementalGroups ?? [], ...(pod.fsGroup === undefined ? [] : [pod.fsGroup])],
    capabilities: own.privileged ? "all" : capabilities(own.capabilities),
    noNewPrivileges: own.allowPrivilegeEscalation === false,
  };
}

function capabilities(wish: { readonly add?: readonly string[]; readonly drop?: readonly string[] } = {}) {
  const names = (list: readonly string[] = []) => list.map((name) => name.toLowerCase().replace(/^cap_/, ""));
  const add = names(wish.add);
  const drop = names(wish.drop);
  if (add.includes("all")) return "all";
  const kept = drop.includes("all") ? [] : DEFAULT_CAPABILITIES.filter((name) => !drop.includes(name));
  return [...new Set([...kept, ...add])].sort();
}
