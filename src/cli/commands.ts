import type { AnyCommand } from "./command.ts";

/** A subcommand before it is loaded. */
export interface CommandEntry {
  /** The same words as in its own file; here so that the overview loads nothing. */
  readonly summary: string;
  load(): Promise<{ readonly command: AnyCommand }>;
}

/** All subcommands. Each is imported when it is chosen; how the paths are written says src/cli/start. */
export const COMMANDS: Readonly<Record<string, CommandEntry>> = {
  standalone: {
    summary: "Serve a directory of YAML to Envoys, without Kubernetes",
    load: () => import("./commands/standalone.ts" as string),
  },
  "discovery-service": {
    summary: "Serve the EnvoyConfigs of a Kubernetes cluster to Envoys",
    load: () => import("./commands/discovery_service.ts" as string),
  },
  operator: {
    summary: "Make the discovery services and Envoys that users ask for",
    load: () => import("./commands/operator.ts" as string),
  },
  "cert-manager": {
    summary: "Issue, renew and rotate certificates, without an operator",
    load: () => import("./commands/cert_manager.ts" as string),
  },
  webhook: {
    summary: "Refuse bad EnvoyConfigs, and give pods their sidecars",
    load: () => import("./commands/webhook.ts" as string),
  },
  "init-manager": {
    summary: "Write what the Envoy of a pod is started from",
    load: () => import("./commands/init_manager.ts" as string),
  },
  loader: {
    summary: "Write ConfigMaps to files that Envoy reads",
    load: () => import("./commands/loader.ts" as string),
  },
  "shutdown-manager": {
    summary: "Let connections end before the Envoy of a pod does",
    load: () => import("./commands/shutdown_manager.ts" as string),
  },
  bootstrap: {
    summary: "Print the configuration that an Envoy starts from",
    load: () => import("./commands/bootstrap.ts" as string),
  },
  status: {
    summary: "Show what is wanted and served, and what Envoys say",
    load: () => import("./commands/status.ts" as string),
  },
  history: {
    summary: "List the revisions of an EnvoyConfig",
    load: () => import("./commands/history.ts" as string),
  },
  rollback: {
    summary: "Hold an earlier version, or try again what Envoys refused",
    load: () => import("./commands/rollback.ts" as string),
  },
  diff: {
    summary: "Compare manifests with what is served, resource by resource",
    load: () => import("./commands/diff.ts" as string),
  },
  certs: {
    summary: "Show certificates as they are, and change a CA",
    load: () => import("./commands/certs.ts" as string),
  },
  inject: {
    summary: "Give the pods of manifests their sidecars, offline",
    load: () => import("./commands/inject.ts" as string),
  },
  validate: {
    summary: "Tell all that is wrong with manifests, offline",
    load: () => import("./commands/validate.ts" as string),
  },
  backup: {
    summary: "Copy the store of a standalone, in use or not, into a file",
    load: () => import("./commands/backup.ts" as string),
  },
  install: {
    summary: "Install operator and webhook in a cluster",
    load: () => import("./commands/install.ts" as string),
  },
  migrate: {
    summary: "Say what becomes of what MARIN3R left, or how to go back",
    load: () => import("./commands/migrate.ts"),
  },
  uninstall: {
    summary: "Remove operator and webhook from a cluster",
    load: () => import("./commands/uninstall.ts" as string),
  },
  crd: {
    summary: "Print the CustomResourceDefinitions of all our kinds",
    load: () => import("./commands/crd.ts" as string),
  },
  completion: {
    summary: "Print completions for a shell",
    load: () => import("./commands/completion.ts" as string),
  },
  version: {
    summary: "Print the versions of Chancery and of Envoy's API",
    load: () => import("./commands/version.ts" as string),
  },
};
