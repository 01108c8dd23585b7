import type { Scene } from "../node/scene.ts";

/** How an Envoy differs from those that an EnvoyDeployment has. */
export interface StrangerOptions {
  /** It dials this host. */
  readonly host?: string;
  /** Where its client certificate and key are. */
  readonly secret?: string;
  /** Where it finds what to trust. */
  readonly bundle?: string;
}

interface Template {
  readonly spec: {
    readonly initContainers: readonly { readonly args: readonly string[] }[];
    readonly containers: readonly object[];
    readonly volumes: readonly { readonly projected?: { readonly sources: readonly Source[] } }[];
  };
}

interface Source {
  readonly secret?: object;
  readonly configMap?: object;
}

/** Makes a pod as the Deployment of an EnvoyDeployment would, but for what is asked for. */
export async function makeStranger(
  scene: Scene,
  name: string,
  { of, host, secret, bundle }: StrangerOptions & { of: string },
): Promise<void> {
  const path = `apps/v1/deployments/marin3r-envoydeployment-${of}`;
  const { spec } = await scene.get<{ spec: { template: Template } }>(path);
  const { spec: pod } = spec.template;
  const dial = (args: readonly string[]) => args.map((arg, at) => args[at - 1] === "--xdss-host" && host ? host : arg);
  const mount = (source: Source) => ({
    ...source,
    ...(source.secret && secret && { secret: { ...source.secret, name: secret } }),
    ...(source.configMap && bundle && { configMap: { ...source.configMap, name: bundle } }),
  });
  await scene.create({
    kind: "Pod",
    metadata: { name },
    spec: {
      ...pod,
      initContainers: pod.initContainers.map((one) => ({ ...one, args: dial(one.args) })),
      volumes: pod.volumes.map((volume) =>
        volume.projected
          ? { ...volume, projected: { ...volume.projected, sources: volume.projected.sources.map(mount) } }
          : volume
      ),
      terminationGracePeriodSeconds: 0,
    },
  });
}
