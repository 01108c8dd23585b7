/**
 * The fields of a Pod that the node acts on, as the API server gives them: defaults are filled in already.
 * @module
 */

/** Metadata that the node reads. */
export interface Metadata {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly generation?: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly deletionTimestamp?: string;
  readonly deletionGracePeriodSeconds?: number;
}

/** A Pod. */
export interface Pod {
  readonly metadata: Metadata;
  readonly spec: PodSpec;
  readonly status?: PodStatus;
}

/** When a container that ended is started again. */
export type RestartPolicy = "Always" | "OnFailure" | "Never";

/** What a Pod is to be. */
export interface PodSpec {
  readonly nodeName?: string;
  readonly hostname?: string;
  readonly subdomain?: string;
  readonly serviceAccountName?: string;
  readonly restartPolicy?: RestartPolicy;
  readonly terminationGracePeriodSeconds?: number;
  readonly activeDeadlineSeconds?: number;
  readonly enableServiceLinks?: boolean;
  readonly hostNetwork?: boolean;
  readonly shareProcessNamespace?: boolean;
  readonly hostAliases?: readonly { readonly ip: string; readonly hostnames?: readonly string[] }[];
  readonly readinessGates?: readonly { readonly conditionType: string }[];
  readonly securityContext?: PodSecurityContext;
  readonly initContainers?: readonly Container[];
  readonly containers: readonly Container[];
  readonly volumes?: readonly Volume[];
}

/** Rights of all containers of a Pod. */
export interface PodSecurityContext {
  readonly runAsUser?: number;
  readonly runAsGroup?: number;
  readonly runAsNonRoot?: boolean;
  readonly fsGroup?: number;
  readonly supplementalGroups?: readonly number[];
  readonly sysctls?: readonly { readonly name: string; readonly value: string }[];
}

/** Rights of one container. */
export interface SecurityContext {
  readonly runAsUser?: number;
  readonly runAsGroup?: number;
  readonly runAsNonRoot?: boolean;
  readonly privileged?: boolean;
  readonly allowPrivilegeEscalation?: boolean;
  readonly readOnlyRootFilesystem?: boolean;
  readonly capabilities?: { readonly add?: readonly string[]; readonly drop?: readonly string[] };
}

/** One process of a Pod. */
export interface Container {
  readonly name: string;
  readonly image: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly workingDir?: string;
  readonly restartPolicy?: "Always";
  readonly ports?: readonly { readonly name?: string; readonly containerPort: number }[];
  readonly env?: readonly EnvVar[];
  readonly envFrom?: readonly EnvFrom[];
  readonly resources?: Resources;
  readonly volumeMounts?: readonly VolumeMount[];
  readonly terminationMessagePolicy?: string;
  readonly startupProbe?: Probe;
  readonly readinessProbe?: Probe;
  readonly livenessProbe?: Probe;
  readonly lifecycle?: { readonly postStart?: Handler; readonly preStop?: Handler };
  readonly securityContext?: SecurityContext;
}

/** Quantities by resource name. */
export interface Resources {
  readonly limits?: Readonly<Record<string, string>>;
  readonly requests?: Readonly<Record<string, string>>;
}

/** One variable. */
export interface EnvVar {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: {
    readonly fieldRef?: FieldRef;
    readonly resourceFieldRef?: ResourceFieldRef;
    readonly configMapKeyRef?: KeyRef;
    readonly secretKeyRef?: KeyRef;
  };
}

/** All keys of an object as variables. */
export interface EnvFrom {
  readonly prefix?: string;
  readonly configMapRef?: ObjectRef;
  readonly secretRef?: ObjectRef;
}

/** A field of the Pod. */
export interface FieldRef {
  readonly fieldPath: string;
}

/** A quantity of a container. */
export interface ResourceFieldRef {
  readonly containerName?: string;
  readonly resource: string;
  readonly divisor?: string;
}

/** An object of the Pod's namespace. */
export interface ObjectRef {
  readonly name?: string;
  readonly optional?: boolean;
}

/** A key of an object. */
export interface KeyRef extends ObjectRef {
  readonly key: string;
}

/** Where a volume appears in a container. */
export interface VolumeMount {
  readonly name: string;
  readonly mountPath: string;
  readonly subPath?: string;
  readonly subPathExpr?: string;
  readonly readOnly?: boolean;
}

/** A key and the file that it becomes. */
export interface KeyToPath {
  readonly key: string;
  readonly path: string;
  readonly mode?: number;
}

/** A file out of the Pod's own fields. */
export interface DownwardFile {
  readonly path: string;
  readonly mode?: number;
  readonly fieldRef?: FieldRef;
  readonly resourceFieldRef?: ResourceFieldRef;
}

/** One source of a projected volume. */
export interface Projection {
  readonly secret?: ObjectRef & { readonly items?: readonly KeyToPath[] };
  readonly configMap?: ObjectRef & { readonly items?: readonly KeyToPath[] };
  readonly downwardAPI?: { readonly items?: readonly DownwardFile[] };
  readonly serviceAccountToken?: TokenProjection;
}

/** A token for the Pod's service account. */
export interface TokenProjection {
  readonly path: string;
  readonly audience?: string;
  readonly expirationSeconds?: number;
}

/** A folder that containers share. */
export interface Volume {
  readonly name: string;
  readonly emptyDir?: { readonly medium?: string };
  readonly hostPath?: { readonly path: string };
  readonly secret?: {
    readonly secretName: string;
    readonly optional?: boolean;
    readonly defaultMode?: number;
    readonly items?: readonly KeyToPath[];
  };
  readonly configMap?: ObjectRef & { readonly defaultMode?: number; readonly items?: readonly KeyToPath[] };
  readonly downwardAPI?: { readonly defaultMode?: number; readonly items?: readonly DownwardFile[] };
  readonly projected?: { readonly defaultMode?: number; readonly sources?: readonly Projection[] };
}

/** What a probe or a hook does. */
export interface Handler {
  readonly exec?: { readonly command?: readonly string[] };
  readonly httpGet?: {
    readonly host?: string;
    readonly port: number | string;
    readonly path?: string;
    readonly scheme?: string;
    readonly httpHeaders?: readonly { readonly name: string; readonly value: string }[];
  };
  readonly tcpSocket?: { readonly host?: string; readonly port: number | string };
  readonly grpc?: { readonly port: number; readonly service?: string };
  readonly sleep?: { readonly seconds: number };
}

/** A question that is asked again and again; times in seconds. */
export interface Probe extends Handler {
  readonly initialDelaySeconds?: number;
  readonly timeoutSeconds?: number;
  readonly periodSeconds?: number;
  readonly successThreshold?: number;
  readonly failureThreshold?: number;
  readonly terminationGracePeriodSeconds?: number;
}

/** One condition of a Pod. */
export interface PodCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
  readonly observedGeneration?: number;
}

/** What has become of a Pod. */
export interface PodStatus {
  readonly phase?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly podIP?: string;
  readonly conditions?: readonly PodCondition[];
  readonly [field: string]: unknown;
}

/** The part that a container plays. */
export type ContainerRole = "init" | "sidecar" | "app";

/** A container and its part in the Pod. */
export interface PlacedContainer {
  readonly role: ContainerRole;
  readonly container: Container;
}

/** All containers of a Pod in the order of their start. */
export function placedContainers(spec: PodSpec): PlacedContainer[] {
  const init = (spec.initContainers ?? []).map((container): PlacedContainer => ({
    role: container.restartPolicy === "Always" ? "sidecar" : "init",
    container,
  }));
  return [...init, ...spec.containers.map((container): PlacedContainer => ({ role: "app", container }))];
}
