/** A bind mount of a container; paths are absolute. */
export interface Bind {
  /** On the machine. */
  readonly from: string;
  /** In the container. */
  readonly to: string;
  readonly readOnly: boolean;
}

/** What the process of a container may do. */
export interface Rights {
  readonly user: number;
  readonly group: number;
  readonly groups: readonly number[];
  /** Capabilities without `CAP_`, in lower case; `all` leaves all of them. */
  readonly capabilities: readonly string[] | "all";
  readonly noNewPrivileges: boolean;
}

/** All that decides over the surroundings of a container's process. */
export interface ContainerSetup {
  readonly hostname: string;
  /** An empty folder of the machine for the container's own layer. */
  readonly scratch: string;
  /** The file that both outputs are appended to. */
  readonly log: string;
  /** Folder with `hosts`, `hostname` and `resolv.conf`. */
  readonly etc: string;
  readonly binds: readonly Bind[];
  readonly workingDir: string;
  readonly readOnlyRoot: boolean;
  readonly rights: Rights;
  readonly env: ReadonlyMap<string, string>;
  readonly command: readonly string[];
}

const DEVICES = ["null", "zero", "full", "random", "urandom", "tty"];

/**
 * A shell script that becomes the container's process. It has to run as the first process of new mount, pid, uts and ipc namespaces:
 * makes a root that looks like the machine's, with a layer of its own that goes with the container, and fresh `/proc`, `/sys`,
 * `/dev`, `/tmp` and `/run`; then mounts what the container is to find; prints its pid as the machine sees it; and turns into the command.
 */
export function containerScript(setup: ContainerSetup): string {
  const { scratch } = setup;
  return [
    "set -eu",
    `exec 2>>${quote(setup.log)}`,
    // Read before /proc is exchanged, the file tells the pid in the machine's count.
    "read -r pid rest </proc/self/stat",
    `hostname ${quote(setup.hostname)}`,
    `mount -t tmpfs -o mode=755 tmpfs ${quote(scratch)}`,
    `cd ${quote(scratch)}`,
    "mkdir upper work root",
    `mount -t overlay -o lowerdir=/,upperdir=${quote(`${scratch}/upper`)},workdir=${
      quote(`${scratch}/work`)
    } overlay root`,
    "cd root",
    "mkdir .machine",
    "pivot_root . .machine",
    "cd /",
    "mkdir -p /proc /sys /dev /tmp /run",
    "mount -t proc proc /proc",
    "mount -t sysfs -o ro sysfs /sys",
    "mount -t tmpfs -o mode=755 tmpfs /dev",
    "mkdir /dev/shm",
    "mount -t tmpfs -o mode=1777 tmpfs /dev/shm",
    "mount -t tmpfs -o mode=1777 tmpfs /tmp",
    "mount -t tmpfs -o mode=755 tmpfs /run",
    ...DEVICES.flatMap((name) => bind({ from: `/dev/${name}`, to: `/dev/${name}`, readOnly: false }, { file: true })),
    "ln -s /proc/self/fd /dev/fd",
    "ln -s /proc/self/fd/0 /dev/stdin",
    "ln -s /proc/self/fd/1 /dev/stdout",
    "ln -s /proc/self/fd/2 /dev/stderr",
    ...bind({ from: setup.etc, to: "/run/node", readOnly: true }),
    // Links, so that the node can exchange the files behind them at once.
    ...["hosts", "hostname", "resolv.conf"].map((name) => `ln -sfn /run/node/${name} /etc/${name}`),
    ...setup.binds.flatMap((one) => bind(one)),
    `mkdir -p ${quote(setup.workingDir)}`,
    "umount -l /.machine",
    "rmdir /.machine",
    ...(setup.readOnlyRoot ? ["mount -o remount,bind,ro /"] : []),
    `cd ${quote(setup.workingDir)}`,
    // As container runtimes do: who is not root may open /dev/stdout, too.
    `chown ${setup.rights.user} /proc/self/fd/2`,
    'echo "$pid"',
    "exec 1>&2",
    `exec ${asContainer(setup.rights, setup.env, setup.command).map(quote).join(" ")}`,
  ].join("\n");
}

/** A command line that runs `command` with these rights and variables and no others. */
export function asContainer(
  rights: Rights,
  env: ReadonlyMap<string, string>,
  command: readonly string[],
): string[] {
  const { user, group, groups, capabilities } = rights;
  const bounding = capabilities === "all"
    ? []
    : [`--bounding-set=${["-all", ...capabilities.map((one) => `+${one}`)]}`];
  return [
    "setpriv",
    `--reuid=${user}`,
    `--regid=${group}`,
    groups.length > 0 ? `--groups=${groups}` : "--clear-groups",
    "--inh-caps=-all",
    ...bounding,
    ...(rights.noNewPrivileges ? ["--no-new-privs"] : []),
    "--",
    "env",
    "-i",
    ...[...env].map(([name, value]) => `${name}=${value}`),
    ...command,
  ];
}

/** Commands that mount a file or folder of the machine. */
function bind({ from, to, readOnly }: Bind, options: { readonly file?: boolean } = {}): string[] {
  const source = quote(`/.machine${from}`);
  const target = quote(to);
  const parent = quote(to.replace(/\/[^/]*$/, "") || "/");
  const makeFile = `mkdir -p ${parent}; [ -e ${target} ] || : >${target}`;
  return [
    // A mount over a link would be one over what the link leads to.
    `[ ! -L ${target} ] || rm ${target}`,
    options.file ? makeFile : `if [ -d ${source} ]; then mkdir -p ${target}; else ${makeFile}; fi`,
    `mount --rbind ${source} ${target}`,
    ...(readOnly ? [`mount -o remount,bind,ro ${target}`] : []),
  ];
}

/** A word of a shell. */
function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
