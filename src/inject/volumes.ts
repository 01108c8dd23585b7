import type { EnvoyPodOptions } from "./options.ts";

/** Readable by whatever user the platform gives the pod; nobody else is in there. */
const FILE_MODE = 0o644;

/**
 * The volumes of an Envoy. With a bundle, client certificate and bundle are one directory of two objects: a pod does not start
 * before both exist, for an Envoy that starts without the bundle never recovers (S1).
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
