import {
  CERT_MANAGER_RIGHTS,
  DISCOVERY_SERVICE_RIGHTS,
  OPERATOR_RIGHTS,
  type Right,
  rulesOf,
  userRoles,
  WEBHOOK_RIGHTS,
} from "../../src/install/mod.ts";
import { stringifyYaml } from "../../src/base/yaml/mod.ts";
import { GENERATED, manifest } from "./manifest.ts";

const SOME_NAMESPACES = "For some namespaces only (WATCH_NAMESPACE): the same rules as a Role in each of them.";

interface RoleFile {
  readonly path: string;
  readonly kind: "Role" | "ClusterRole";
  readonly name: string;
  readonly about: readonly string[];
  readonly rights: readonly Right[];
}

const FILES: readonly RoleFile[] = [
  {
    path: "manifests/operator/operator_role.yaml",
    kind: "ClusterRole",
    name: "chancery-operator",
    about: [
      `What chancery operator may do, in all namespaces. ${SOME_NAMESPACES}`,
      "In its own namespace: leases_role.yaml. Where it looks after certificates itself, which is the default,",
      "cert_manager_role.yaml belongs to it, too.",
    ],
    rights: [...OPERATOR_RIGHTS.watched, ...OPERATOR_RIGHTS.cluster],
  },
  {
    path: "manifests/operator/cert_manager_role.yaml",
    kind: "ClusterRole",
    name: "chancery-cert-manager",
    about: [
      "What is needed to look after certificates, in all namespaces: by chancery cert-manager, or by chancery operator where it",
      `does that itself. ${SOME_NAMESPACES}`,
    ],
    rights: [...CERT_MANAGER_RIGHTS.watched, ...CERT_MANAGER_RIGHTS.cluster],
  },
  {
    path: "manifests/operator/leases_role.yaml",
    kind: "Role",
    name: "chancery-operator-own",
    about: ["What chancery operator and chancery cert-manager may do in their own namespace."],
    rights: [...new Set([...OPERATOR_RIGHTS.own, ...CERT_MANAGER_RIGHTS.own])],
  },
  {
    path: "manifests/operator/discovery_service_role.yaml",
    kind: "ClusterRole",
    name: "chancery-discovery-service",
    about: ["What the pods of a DiscoveryService may do in its namespace: the operator binds it there by name."],
    rights: DISCOVERY_SERVICE_RIGHTS,
  },
  {
    path: "manifests/discovery-service/role.yaml",
    kind: "Role",
    name: "chancery-discovery-service",
    about: [
      "What chancery discovery-service may do in the namespace that it serves and that its Leases are in. For several namespaces,",
      "or all of them, the same rules as a ClusterRole; the rules for leases are needed in its own namespace only.",
    ],
    rights: DISCOVERY_SERVICE_RIGHTS,
  },
  {
    path: "manifests/webhook/role.yaml",
    kind: "ClusterRole",
    name: "chancery-webhook",
    about: [`What chancery webhook may do, in all namespaces. ${SOME_NAMESPACES}`],
    rights: [...WEBHOOK_RIGHTS.watched, ...WEBHOOK_RIGHTS.cluster],
  },
];

/** One file for each role with the reasons of its rules, for who installs by hand; and the roles of people. */
export function roleFiles(): ReadonlyMap<string, string> {
  return new Map([
    ...FILES.map((file) => [file.path, roleText(file)] as const),
    ["manifests/rbac/user_roles.yaml", manifest(userRoles())],
  ]);
}

function roleText({ kind, name, about, rights }: RoleFile): string {
  const comment = about.map((line) => `# ${line}\n`).join("");
  const role = stringifyYaml({ apiVersion: "rbac.authorization.k8s.io/v1", kind, metadata: { name } });
  let rules = "";
  let before = "";
  for (const right of rights) {
    if (right.why !== before) rules += `  # ${right.why}\n`;
    before = right.why;
    rules += stringifyYaml(rulesOf([right])).replaceAll(/^/gm, "  ").trimEnd() + "\n";
  }
  return `${GENERATED}${comment}${role}rules:\n${rules}`;
}
