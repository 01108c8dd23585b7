import { expand } from "./expand.ts";
import type { Container } from "./pod.ts";

/** What stands for a container image: commands and files of this machine. */
export interface Image {
  /** As `ENTRYPOINT`; a container's `command` replaces it and `cmd`. */
  readonly entrypoint?: readonly string[];
  /** As `CMD`; a container's `args` replace it. */
  readonly cmd?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly workingDir?: string;
  /** User and group of containers that name none; 0 when absent. */
  readonly user?: number;
  /** Files or folders of this machine by the path at which containers find them, not to be written to. */
  readonly files?: Readonly<Record<string, string>>;
}

/** Images by name. A name without tag and digest stands for all of them. */
export type Images = Readonly<Record<string, Image>>;

/** The image of this name, or `undefined` when the table has none. */
export function findImage(images: Images, name: string): Image | undefined {
  return images[name] ?? images[name.replace(/@.*$/, "")] ?? images[name.replace(/@.*$/, "").replace(/:[^:/]*$/, "")];
}

/** The command line of a container, variables put in. @throws {Error} when neither it nor the image names a command */
export function commandLine(container: Container, image: Image, env: ReadonlyMap<string, string>): string[] {
  const { entrypoint = [], cmd = [] } = container.command ? {} : image;
  const head = container.command?.map((one) => expand(one, env)) ?? entrypoint;
  const rest = container.args?.map((one) => expand(one, env)) ?? cmd;
  if (head.length + rest.length === 0) throw new Error("no command specified");
  return [...head, ...rest];
}
