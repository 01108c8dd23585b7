import type { EnvoyPodOptions } from "./options.ts";

/** Readable by whatever user the platform gives the pod; nobody else is in there. */
const FILE_MODE = 0o644;

/**
 * The volumes of an Envoy. With a bundle, client certificate and bundle are one directory of two objects, and neither is optional: the
 * kubelet keeps a pod waiting until both exist, tries again within seconds, and says in an Event which one is missing, for an Envoy that
 * starts without the bundle never recovers (S1). Were the bundle optional, a pod that comes first would find it when the kubelet looks
 * at its volumes the next time, in a minute or two; and a bundle that somebody deletes would vanish from the volumes of all pods that
 * run, where it stays as it was now. The time limit of the init manager is for pods that people write, and for a bundle without content.
 */
export function envoyVolumes({ volumes, clientSecret, bundle }: EnvoyPodOptions): Record<string, unknown>[] {
  const item = (key: string) => ({ key, path: key });
  const tls = bundle === undefined ? { secret: { secretName: clientSecret, defaultMode: FILE_MODE } } : {
    projected: {
      defaultMode: FILE_MODE,
      sources: [
        { secret: { name: clientSecret, items: [item("tls.crt"), item("tls.key")] } },
        { configMap: { name: bundle, items: [item("ca.crt")] } },
      ],
    },
  };
  return [{ name: volumes.tls, ...tls }, { name: volumes.bootstrap, emptyDir: {} }];
}
