import type { KubeObject } from "../kube/client.ts";

/** A port of a Service. */
export interface ServicePort {
  readonly name?: string;
  readonly port: number;
  readonly protocol?: string;
}

/** The fields of a Service that the node acts on. */
export interface Service extends KubeObject {
  readonly spec: {
    readonly clusterIP?: string;
    readonly type?: string;
    readonly ports?: readonly ServicePort[];
    readonly publishNotReadyAddresses?: boolean;
  };
}

/** Somebody behind a Service. */
export interface Endpoint {
  readonly addresses: readonly string[];
  readonly hostname?: string;
  readonly conditions?: { readonly ready?: boolean; readonly serving?: boolean; readonly terminating?: boolean };
  readonly targetRef?: { readonly name?: string };
}

/** The fields of an EndpointSlice that the node acts on. */
export interface EndpointSlice extends KubeObject {
  readonly addressType: string;
  readonly endpoints?: readonly Endpoint[] | null;
  readonly ports?: readonly { readonly name?: string; readonly port?: number; readonly protocol?: string }[] | null;
}

/** Label of an EndpointSlice with the name of its Service. */
export const SERVICE_NAME = "kubernetes.io/service-name";
