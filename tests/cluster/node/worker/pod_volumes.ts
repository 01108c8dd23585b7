import { fillFolder } from "../machine/atomic_folder.ts";
import type { Bind } from "../machine/container_script.ts";
import { expand } from "../pod/expand.ts";
import type { NodeFacts } from "../pod/field_ref.ts";
import type { Container, Pod, Volume, VolumeMount } from "../pod/pod.ts";
import { volumeFiles } from "../pod/volume_files.ts";
import type { ObjectCache } from "./object_cache.ts";
import type { TokenKeeper } from "./token_keeper.ts";

/** Options of {@linkcode PodVolumes}. */
export interface PodVolumesOptions {
  /** An own folder, to be made. */
  readonly folder: string;
  readonly objects: ObjectCache;
  readonly tokens: TokenKeeper;
}

/** The volumes of a Pod on the machine. */
export class PodVolumes {
  readonly #options: PodVolumesOptions;

  constructor(options: PodVolumesOptions) {
    this.#options = options;
  }

  /** Makes all volumes, or brings those that follow objects up to date. @throws {Error} with the reason, in the kubelet's words */
  async fill(pod: Pod, facts: NodeFacts): Promise<void> {
    for (const volume of pod.spec.volumes ?? []) {
      try {
        await this.#fillOne(volume, pod, facts);
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        throw new Error(`MountVolume.SetUp failed for volume "${volume.name}" : ${reason}`);
      }
    }
  }

  /** What a container finds mounted. @throws {Error} for a volume that the Pod does not have */
  async binds(pod: Pod, container: Container, env: ReadonlyMap<string, string>): Promise<Bind[]> {
    // Shorter paths first, so that a mount within another one is not hidden by it.
    const mounts = [...container.volumeMounts ?? []].sort((a, b) => a.mountPath.length - b.mountPath.length);
    return await Promise.all(mounts.map((mount) => this.#bind(pod, mount, env)));
  }

  async #bind(pod: Pod, mount: VolumeMount, env: ReadonlyMap<string, string>): Promise<Bind> {
    const volume = pod.spec.volumes?.find(({ name }) => name === mount.name);
    if (!volume) throw new Error(`volume "${mount.name}" not found`);
    const subPath = mount.subPathExpr ? expand(mount.subPathExpr, env) : mount.subPath;
    const follows = volume.emptyDir === undefined && volume.hostPath === undefined;
    let from = this.#folderOf(volume);
    if (subPath) {
      from = `${from}/${subPath}`;
      if (!follows) await Deno.mkdir(from, { recursive: true });
      // A part of a volume is what it is at the start: the file itself and not the link that moves on.
      from = await Deno.realPath(from);
    }
    return { from, to: mount.mountPath, readOnly: follows || mount.readOnly === true };
  }

  #folderOf(volume: Volume): string {
    return volume.hostPath?.path ?? `${this.#options.folder}/${volume.name}`;
  }

  async #fillOne(volume: Volume, pod: Pod, facts: NodeFacts): Promise<void> {
    if (volume.hostPath) return;
    const { objects, tokens } = this.#options;
    const files = volumeFiles(volume, {
      pod,
      facts,
      lookup: (kind, name) => objects.data(kind, pod.metadata.namespace, name),
      token: (projection) => tokens.get(projection),
    });
    if (!files && !volume.emptyDir) throw new Error(`the node has no volumes of type ${Object.keys(volume).at(-1)}`);
    const folder = this.#folderOf(volume);
    await Deno.mkdir(folder, { recursive: true });
    const group = pod.spec.securityContext?.fsGroup;
    if (files) {
      await fillFolder(folder, files, group);
      // Containers cannot write here, so what is mounted within needs its place beforehand.
      for (const path of mountsWithin(volume, pod)) await Deno.mkdir(`${folder}/${path}`, { recursive: true });
    } else {
      if (group !== undefined) await Deno.chown(folder, null, group);
      await Deno.chmod(folder, group === undefined ? 0o777 : 0o2777);
    }
  }
}

/** Relative paths within a volume at which containers mount other volumes. */
function mountsWithin({ name }: Volume, { spec }: Pod): string[] {
  return [...spec.initContainers ?? [], ...spec.containers].flatMap(({ volumeMounts = [] }) => {
    const own = volumeMounts.filter((mount) => mount.name === name && !mount.subPath && !mount.subPathExpr);
    return own.flatMap(({ mountPath }) => {
      const prefix = `${mountPath.replace(/\/+$/, "")}/`;
      return volumeMounts.filter((other) =>
        other.mountPath.startsWith(prefix) && other.mountPath.length > prefix.length
      )
        .map((other) => other.mountPath.slice(prefix.length));
    });
  });
}
