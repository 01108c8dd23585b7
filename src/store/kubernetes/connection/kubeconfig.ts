import { type Cluster, type Context, KubeConfig, type User } from "@kubernetes/client-node";
import { dirname, isAbsolute, join } from "node:path";
import { ChanceryError, errorMessage, formatFinding, hasErrors, suggest } from "../../../base/mod.ts";
import { parseYaml } from "../../../base/yaml/mod.ts";
import type { Access, ExecPlugin, Material } from "./access.ts";

const FIELDS = { ca: "certificate-authority", certificate: "client-certificate", key: "client-key" } as const;
const SERVICE_ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount";

/** Where to look for a cluster. */
export interface KubeconfigOptions {
  /** Path of a kubeconfig; otherwise the files of `KUBECONFIG`, `~/.kube/config`, or the pod's service account. */
  readonly kubeconfig?: string | undefined;
  /** Name of a context; the current one when absent. */
  readonly context?: string | undefined;
  readonly env: (name: string) => string | undefined;
  /** Where a pod finds its service account. */
  readonly serviceAccountDirectory?: string;
}

/** Fields of a user that the library does not read. */
interface RawUser {
  readonly tokenFile?: string;
  readonly "as-groups"?: readonly string[];
  readonly "as-uid"?: string;
  readonly "as-user-extra"?: Readonly<Record<string, readonly string[]>>;
}

interface Loaded {
  readonly config: KubeConfig;
  readonly raw: ReadonlyMap<string, RawUser>;
  /** Of each user, the folder that relative paths are meant from. */
  readonly folders: ReadonlyMap<string, string>;
  readonly source: string;
}

/** Finds out how to reach the cluster: as kubectl does, and in a pod without a kubeconfig by its service account. */
export function findAccess(options: KubeconfigOptions): Access {
  const { kubeconfig, env } = options;
  if (kubeconfig !== undefined) return accessOf(load([kubeconfig], { mustExist: true }), options);
  const listed = (env("KUBECONFIG") ?? "").split(Deno.build.os === "windows" ? ";" : ":").filter((path) => path !== "");
  const home = env("HOME") ?? env("USERPROFILE");
  const files = listed.length > 0 ? listed : home ? [join(home, ".kube", "config")] : [];
  const loaded = load(files, { mustExist: false });
  if (loaded.config.contexts.length > 0 || options.context !== undefined) return accessOf(loaded, options);
  const pod = inCluster(options);
  if (pod) return pod;
  if (loaded.config.clusters.length > 0) return accessOf(loaded, options);
  throw new ChanceryError(
    "invalid-input",
    `Cannot find a cluster: no kubeconfig at ${
      files.map((f) => JSON.stringify(f)).join(", ") || "~/.kube/config"
    } and not in a pod; give --kubeconfig or set KUBECONFIG`,
  );
}

function inCluster({ env, serviceAccountDirectory: folder = SERVICE_ACCOUNT }: KubeconfigOptions): Access | undefined {
  const host = env("KUBERNETES_SERVICE_HOST");
  const port = env("KUBERNETES_SERVICE_PORT");
  if (!host || !port || !exists(`${folder}/token`)) return undefined;
  const namespace = exists(`${folder}/namespace`) ? Deno.readTextFileSync(`${folder}/namespace`).trim() : "";
  return {
    server: `https://${host.includes(":") ? `[${host}]` : host}:${port}`,
    source: "in-cluster",
    inCluster: true,
    namespace: namespace || "default",
    ca: { file: `${folder}/ca.crt` },
    token: { file: `${folder}/token` },
    headers: [],
  };
}

/** Merges files as kubectl does: the first that says something wins, files that are not there are skipped. */
function load(files: readonly string[], { mustExist }: { mustExist: boolean }): Loaded {
  const clusters = new Map<string, Cluster>();
  const users = new Map<string, User>();
  const contexts = new Map<string, Context>();
  const raw = new Map<string, RawUser>();
  const folders = new Map<string, string>();
  let currentContext: string | undefined;
  for (const file of files) {
    if (!mustExist && !exists(file)) continue;
    const { config, users: rawUsers } = readFile(file);
    for (const cluster of config.clusters) if (!clusters.has(cluster.name)) clusters.set(cluster.name, cluster);
    for (const context of config.contexts) if (!contexts.has(context.name)) contexts.set(context.name, context);
    for (const user of config.users) {
      if (users.has(user.name)) continue;
      users.set(user.name, user);
      folders.set(user.name, dirname(file));
      raw.set(user.name, rawUsers.get(user.name) ?? {});
    }
    currentContext ||= config.currentContext;
  }
  const config = new KubeConfig();
  config.loadFromOptions({
    clusters: [...clusters.values()],
    users: [...users.values()],
    contexts: [...contexts.values()],
    currentContext: currentContext ?? "",
  });
  return { config, raw, folders, source: files.join(", ") };
}

function readFile(file: string): { config: KubeConfig; users: Map<string, RawUser> } {
  const cannot = `Cannot read kubeconfig ${JSON.stringify(file)}`;
  let text: string;
  try {
    text = Deno.readTextFileSync(file);
  } catch (thrown) {
    const why = thrown instanceof Deno.errors.NotFound ? "there is no such file" : errorMessage(thrown);
    throw new ChanceryError("invalid-input", `${cannot}: ${why}`, { cause: thrown });
  }
  // Read by our own reader: its findings name the place and never quote a token.
  const { documents, findings } = parseYaml(text, file);
  if (hasErrors(findings)) throw new ChanceryError("invalid-input", `${cannot}: ${formatFinding(findings[0]!)}`);
  const value = documents[0]?.value ?? {};
  const config = new KubeConfig();
  try {
    config.loadFromString(JSON.stringify(value));
    config.makePathsAbsolute(dirname(file));
  } catch (thrown) {
    throw new ChanceryError("invalid-input", `${cannot}: ${errorMessage(thrown)}`, { cause: thrown });
  }
  const entries = (value as { users?: { name: string; user?: RawUser }[] }).users ?? []; // the library has read it
  return { config, users: new Map(entries.map(({ name, user }) => [name, user ?? {}])) };
}

function accessOf({ config, raw, folders, source }: Loaded, { context: wanted }: KubeconfigOptions): Access {
  const name = wanted ?? config.currentContext;
  const context = config.contexts.find((context) => context.name === name);
  if (!context) throw new ChanceryError("invalid-input", contextProblem(config, { name, source }));
  const cluster = config.clusters.find((cluster) => cluster.name === context.cluster);
  const user = config.users.find((user) => user.name === context.user);
  const cannot = `Cannot use context ${JSON.stringify(name)} of ${source}`;
  if (!cluster) throw new ChanceryError("invalid-input", `${cannot}: there is no cluster "${context.cluster}"`);
  if (context.user && !user) throw new ChanceryError("invalid-input", `${cannot}: there is no user "${context.user}"`);
  if (cluster.skipTLSVerify) {
    const why =
      "insecure-skip-tls-verify is not supported; put the CA of the API server into certificate-authority-data";
    throw new ChanceryError("invalid-input", `${cannot}: ${why}`);
  }
  if (!/^https?:\/\//.test(cluster.server)) {
    throw new ChanceryError("invalid-input", `${cannot}: its server must be an http or https URL`);
  }
  const folder = (user && folders.get(user.name)) ?? ".";
  return {
    server: cluster.server,
    source: `${source}, context ${name}`,
    inCluster: false,
    namespace: context.namespace || "default",
    ...(cluster.tlsServerName ? { tlsServerName: cluster.tlsServerName } : {}),
    ...(cluster.proxyUrl ? { proxyUrl: cluster.proxyUrl } : {}),
    ...material("ca", cluster.caFile, cluster.caData),
    ...(user ? credentialsOf(user, { raw: raw.get(user.name) ?? {}, folder }) : { headers: [] }),
  };
}

function contextProblem(config: KubeConfig, { name, source }: { name: string | undefined; source: string }): string {
  const names = config.contexts.map((context) => context.name);
  if (!name) {
    const hint = names.length === 0 ? "it has none" : `none is current; name one of ${names.join(", ")} by --context`;
    return `Cannot choose a context of ${source}: ${hint}`;
  }
  const near = suggest(name, names);
  const hint = near ? `did you mean "${near}"?` : `there are: ${names.join(", ") || "none"}`;
  return `Cannot find context ${JSON.stringify(name)} in ${source || "any kubeconfig"}: ${hint}`;
}

function credentialsOf(
  user: User,
  { raw, folder }: { raw: RawUser; folder: string },
): Omit<Access, "server" | "source" | "inCluster" | "namespace"> {
  const fromFolder = (path: string) => isAbsolute(path) ? path : join(folder, path);
  const token = raw.tokenFile
    ? { token: { file: fromFolder(raw.tokenFile) } }
    : user.token
    ? { token: { text: user.token.trim() } }
    : {};
  return {
    ...material("certificate", user.certFile, user.certData),
    ...material("key", user.keyFile, user.keyData),
    ...token,
    ...(user.username ? { basic: { username: user.username, password: user.password ?? "" } } : {}),
    ...(user.exec ? { exec: execPlugin(user.exec, folder) } : {}),
    ...(user.authProvider ? { authProvider: user } : {}),
    headers: impersonation(user, raw),
  };
}

function impersonation(user: User, raw: RawUser): [string, string][] {
  if (!user.impersonateUser) return [];
  return [
    ["Impersonate-User", user.impersonateUser],
    ...(raw["as-uid"] ? [["Impersonate-Uid", raw["as-uid"]] as [string, string]] : []),
    ...(raw["as-groups"] ?? []).map((group): [string, string] => ["Impersonate-Group", group]),
    ...Object.entries(raw["as-user-extra"] ?? {}).flatMap(([key, values]) =>
      values.map((value): [string, string] => [`Impersonate-Extra-${encodeURIComponent(key)}`, value])
    ),
  ];
}

function execPlugin(exec: unknown, folder: string): ExecPlugin {
  const { apiVersion, command, args, env, provideClusterInfo, installHint } = exec as {
    apiVersion?: string;
    command?: string;
    args?: string[] | null;
    env?: { name: string; value: string }[] | null;
    provideClusterInfo?: boolean;
    installHint?: string;
  }; // shape of client.authentication.k8s.io in a kubeconfig
  if (!command) throw new ChanceryError("invalid-input", "Cannot use the kubeconfig: exec names no command");
  return {
    apiVersion: apiVersion ?? "client.authentication.k8s.io/v1",
    // a path with a slash is meant from the kubeconfig's folder, a name is looked up on PATH
    command: command.includes("/") && !isAbsolute(command) ? join(folder, command) : command,
    args: args ?? [],
    env: Object.fromEntries((env ?? []).map(({ name, value }) => [name, value])),
    provideClusterInfo: provideClusterInfo === true,
    ...(installHint ? { installHint } : {}),
  };
}

/** Data goes before a file, as in kubectl. */
function material<N extends "ca" | "certificate" | "key">(
  name: N,
  file: string | undefined,
  data: string | undefined,
): Partial<Readonly<Record<N, Material>>> {
  if (!data && !file) return {};
  const one: Material = data ? { text: decoded(data, FIELDS[name]) } : { file: file! };
  return { [name]: one } as Record<N, Material>; // the one name it was called with
}

function decoded(data: string, field: string): string {
  try {
    return new TextDecoder().decode(Uint8Array.fromBase64(data));
  } catch {
    // the error might quote a key
    throw new ChanceryError("invalid-input", `Cannot use the kubeconfig: ${field}-data is no base64`);
  }
}

function exists(path: string): boolean {
  try {
    Deno.statSync(path);
    return true;
  } catch {
    return false;
  }
}
