import type { ContainerSetup } from "../machine/container_script.ts";
import { containerEnv } from "../pod/env.ts";
import { commandLine, findImage, type Image } from "../pod/image.ts";
import type { Container, Pod } from "../pod/pod.ts";
import { rightsOf } from "../pod/rights.ts";
import { hostnameOf } from "../services/hosts_file.ts";
import { serviceEnv } from "../services/service_env.ts";
import type { PodSandbox } from "./pod_sandbox.ts";
import type { Surroundings } from "./surroundings.ts";

/** A container that cannot be started as things are; carries the kubelet's reason. */
export class StartRefused extends Error {
  override readonly name = "StartRefused";
  readonly reason: string;

  constructor(reason: string, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** Where and with what a container starts. */
export interface LaunchInputs {
  readonly pod: Pod;
  readonly container: Container;
  readonly sandbox: PodSandbox;
  /** How many lives it had before. */
  readonly life: number;
}

const PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** All that decides over a container's process. @throws {StartRefused} with the kubelet's reason */
export async function containerSetup(inputs: LaunchInputs, around: Surroundings): Promise<ContainerSetup> {
  const { pod, container, sandbox: { volumes, folder }, life } = inputs;
  const image = findImage(around.images, container.image);
  if (!image) {
    throw new StartRefused("ErrImagePull", `the node has no command for image ${JSON.stringify(container.image)}`);
  }
  const { env, rights, command } = configured(inputs, image, around);
  const files = Object.entries(image.files ?? {}).map(([to, from]) => ({ from, to, readOnly: true }));
  const message = { from: messageFile(folder, container.name, life), to: "/dev/termination-log", readOnly: false };
  await Deno.writeTextFile(message.from, "");
  await Deno.chmod(message.from, 0o666);
  return {
    hostname: hostnameOf(pod),
    scratch: `${folder}/scratch/${container.name}.${life}`,
    log: logFile(folder, container.name, life),
    etc: `${folder}/etc`,
    binds: [...files, message, ...await volumes.binds(pod, container, env)],
    workingDir: container.workingDir ?? image.workingDir ?? "/",
    readOnlyRoot: container.securityContext?.readOnlyRootFilesystem === true,
    rights,
    env,
    command,
  };
}

/** Where the output of one life of a container goes. */
export function logFile(folder: string, container: string, life: number): string {
  return `${folder}/logs/${container}.${life}.log`;
}

/** What one life of a container wants to be known for, see `terminationMessagePath`. */
export function messageFile(folder: string, container: string, life: number): string {
  return `${folder}/logs/${container}.${life}.message`;
}

function configured({ pod, container, sandbox: { facts } }: LaunchInputs, image: Image, around: Surroundings) {
  const { namespace } = pod.metadata;
  const decoder = new TextDecoder();
  try {
    const own = containerEnv({
      pod,
      container,
      facts,
      lookup: (kind, name) => {
        const data = around.objects.data(kind, namespace, name);
        return data && new Map([...data].map(([key, bytes]) => [key, decoder.decode(bytes)]));
      },
      services: serviceEnv(around.services(), namespace, pod.spec.enableServiceLinks !== false),
    });
    const rights = rightsOf(pod, container, image);
    const home = rights.user === 0 ? "/root" : "/";
    const base = { PATH, HOSTNAME: hostnameOf(pod), HOME: home, ...image.env };
    return { env: new Map([...Object.entries(base), ...own]), rights, command: commandLine(container, image, own) };
  } catch (error) {
    throw new StartRefused("CreateContainerConfigError", error instanceof Error ? error.message : String(error));
  }
}
