import { expect } from "expect";

const SCRIPT = decodeURIComponent(new URL("../../manifests/image/rootfs.sh", import.meta.url).pathname);

const PATH = { PATH: "/usr/sbin:/usr/bin:/sbin:/bin" };

/** Paths of all files below a folder, without it. */
function* filesIn(folder: string, path = ""): Generator<string> {
  for (const { name, isDirectory } of Deno.readDirSync(`${folder}${path}`)) {
    if (isDirectory) yield* filesIn(folder, `${path}/${name}`);
    else yield `${path}/${name}`;
  }
}

async function run(command: string, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await new Deno.Command(command, { args, stdin: "null", clearEnv: true, env: PATH })
    .output();
  const decoder = new TextDecoder();
  if (code !== 0) throw new Error(`${command} ended with ${code}: ${decoder.decode(stderr)}`);
  return decoder.decode(stdout).trim();
}

Deno.test({
  name:
    "O9: the image has what its program needs on the architecture that builds it, runs as nobody, and holds nothing else",
  ignore: Deno.uid() !== 0, // chroot is for root only
  async fn() {
    const root = await Deno.makeTempDir({ prefix: "rootfs-" });
    try {
      // Deno is what a compiled program consists of, besides its text.
      await run("/bin/sh", SCRIPT, Deno.execPath(), root);
      const files = [...filesIn(root)].sort();
      const others = files.filter((path) => !/^(\/usr)?\/lib[^ ]*\.so[.\d]*$/.test(path));
      expect(others).toEqual(["/etc/group", "/etc/passwd", "/usr/bin/chancery"]);
      await Deno.chmod(root, 0o755);
      const says = "console.log(Deno.build.arch, Deno.uid(), Deno.makeTempDirSync().startsWith('/tmp/'))";
      expect(await run("chroot", "--userspec=65532:65532", root, "/usr/bin/chancery", "eval", says))
        .toBe(`${Deno.build.arch} 65532 true`);
    } finally {
      await Deno.remove(root, { recursive: true });
    }
  },
});
