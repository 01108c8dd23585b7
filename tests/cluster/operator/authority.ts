/**
 * The certificates of a DiscoveryService "ds", as the API server has them.
 * @module
 */
import type { Ground } from "./ground.ts";
import type { Material } from "./handshakes.ts";

export const CA = "discoveryservicecertificates/marin3r-ca-cert-ds";
export const CLIENT = "secrets/envoy-sidecar-client-cert";
export const SERVER = "secrets/marin3r-server-cert-ds";
export const BUNDLE = "configmaps/marin3r-ca-bundle-ds";

/** What is kept of a CA, in the status of its certificate. */
export interface Rotation {
  readonly phase: string;
  readonly current: string;
  readonly earlier?: readonly { readonly fingerprint: string }[];
}

/** The state of a CA; `undefined` of what is none. */
export function rotationOf(object: { readonly status?: object }): Rotation | undefined {
  return (object.status as { rotation?: Rotation } | undefined)?.rotation; // a certificate
}

/** What is in a Secret or ConfigMap now. */
export async function textsOf(ground: Ground, path: string): Promise<Readonly<Record<string, string>>> {
  const object = await ground.get(path);
  if (!object) throw new Error(`there is no ${path}`);
  const decode = (text: string) => path.startsWith("secrets/") ? atob(text) : text;
  return Object.fromEntries(Object.entries(object.data ?? {}).map(([key, text]) => [key, decode(text)]));
}

/** What a client has that mounts a Secret. */
export async function materialIn(ground: Ground, secret: string): Promise<Material> {
  const texts = await textsOf(ground, secret);
  return { cert: texts["tls.crt"]!, key: texts["tls.key"]!, ca: texts["ca.crt"]! }; // a Secret of ours
}
