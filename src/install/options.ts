/** A mapping of Kubernetes that is passed on as it is, such as the resources of a container. */
export type PassedOn = Readonly<Record<string, unknown>>;

/** What can be said about the pods of one part. */
export interface PartOptions {
  readonly replicas: number;
  /** Requests and limits of its container. */
  readonly resources: PassedOn;
}

/** What an installation is made from; {@linkcode SETTINGS} says what each means, and what it is when nothing is said. */
export interface InstallOptions {
  /** Namespace of operator and webhook. */
  readonly namespace: string;
  /** Image of this program, for all roles. */
  readonly image: string;
  readonly imagePullSecrets: readonly string[];
  /** Namespaces that are looked after; all of them when empty. */
  readonly watchNamespaces: readonly string[];
  readonly logLevel: string;
  readonly operator: PartOptions;
  readonly webhook: PartOptions;
  readonly nodeSelector: PassedOn;
  readonly tolerations: readonly PassedOn[];
  readonly priorityClassName: string;
  /** Whether cert-manager.io makes the certificate of the webhook. */
  readonly certManager: { readonly enabled: boolean };
  readonly monitoring: { readonly enabled: boolean };
  readonly networkPolicies: { readonly enabled: boolean };
}
