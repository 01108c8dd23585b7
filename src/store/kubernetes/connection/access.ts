import type { User } from "@kubernetes/client-node";

/** PEM text: in a file that may be replaced any time, or given once and for all. */
export interface Material {
  readonly file?: string;
  /** PEM. */
  readonly text?: string;
}

/** An `exec` entry of a kubeconfig: a program that prints credentials. */
export interface ExecPlugin {
  readonly apiVersion: string;
  /** A path, or a name to be found on PATH. */
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly provideClusterInfo: boolean;
  /** What to tell people when the program is not there. */
  readonly installHint?: string;
}

/** How to reach one API server and who to be there, as a kubeconfig or a pod's service account says it. */
export interface Access {
  /** Address without a trailing slash. */
  readonly server: string;
  /** Where this was found, for messages: path of the kubeconfig and name of the context, or `in-cluster`. */
  readonly source: string;
  readonly inCluster: boolean;
  /** Namespace of the context; `default` when it names none. */
  readonly namespace: string;
  /** The name that the server's certificate is for, when it is not that of the address. */
  readonly tlsServerName?: string;
  readonly proxyUrl?: string;
  readonly ca?: Material;
  readonly certificate?: Material;
  readonly key?: Material;
  readonly token?: Material;
  readonly basic?: { readonly username: string; readonly password: string };
  readonly exec?: ExecPlugin;
  /** A user with an `auth-provider`, which the Kubernetes client library handles. */
  readonly authProvider?: User;
  /** `Impersonate-…` headers. */
  readonly headers: readonly (readonly [string, string])[];
}
