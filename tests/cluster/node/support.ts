import { capture } from "./machine/run.ts";

const PROGRAMS = ["ip", "nsenter", "unshare", "setpriv", "pivot_root", "setsid"];

/**
 * Why no node can be run here, or `undefined` when one can: it takes Linux, root, iproute2 and util-linux, and a kernel that lets
 * root make network and mount namespaces, bridges and overlays.
 */
export async function nodeSupport(): Promise<string | undefined> {
  if (Deno.build.os !== "linux") return `a node needs Linux, this is ${Deno.build.os}`;
  if (Deno.uid() !== 0) return "a node needs root, to make network and mount namespaces";
  for (const program of PROGRAMS) {
    const { code } = await capture(["sh", "-c", 'command -v "$0"', program]);
    if (code !== 0) return `a node needs the program "${program}" (Debian: apt-get install iproute2 util-linux)`;
  }
  const { code, stderr } = await capture([
    "unshare",
    "--mount",
    "--net",
    "--pid",
    "--uts",
    "--ipc",
    "--fork",
    "sh",
    "-ec",
    TRIAL,
  ]);
  return code === 0
    ? undefined
    : `a node needs namespaces, bridges and overlays, which are refused here: ${stderr.trim()}`;
}

/** Everything that could be forbidden, in namespaces that go at once. */
const TRIAL = `
mount --make-rprivate /
ip link add bridge type bridge
ip link add one type veth peer name two
mount -t tmpfs tmpfs /mnt
mkdir /mnt/upper /mnt/work /mnt/root
mount -t overlay -o lowerdir=/,upperdir=/mnt/upper,workdir=/mnt/work overlay /mnt/root
mount -t proc proc /mnt/root/proc
`;
