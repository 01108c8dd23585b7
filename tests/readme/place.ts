import { startControlPlane } from "../cluster/control_plane/mod.ts";
import { ECHO_SERVER, machineProgram, type ProcessNode, programImage, startNode } from "../cluster/node/mod.ts";
import { capture, run } from "../cluster/node/machine/run.ts";
import { CLI } from "../program.ts";
import type { Scene } from "./scenes.ts";
import { Terminal } from "./terminal.ts";

const TOP = decodeURIComponent(new URL("../../", import.meta.url).pathname);
/** What of a checkout README.md speaks of. */
const CHECKOUT = ["README.md", "cli.ts", "deno.json", "deno.lock", "manifests", "mod.ts", "protos", "scripts", "src"];

/** Where a scene of README.md is played: a terminal in a checkout of its own, and a home that is empty. */
export interface Place extends AsyncDisposable {
  readonly terminal: Terminal;
  /** The kubelet of a cluster. */
  readonly node: ProcessNode | undefined;
}

/** Makes the place for a scene. */
export async function openPlace(scene: Pick<Scene, "place" | "program">): Promise<Place> {
  await using parts = new AsyncDisposableStack();
  const folder = await Deno.makeTempDir({ prefix: "chancery-readme-" });
  parts.defer(() => Deno.remove(folder, { recursive: true }));
  for (const name of ["bin", "checkout", "home"]) await Deno.mkdir(`${folder}/${name}`);
  await Deno.writeTextFile(`${folder}/home/.curlrc`, "silent\nshow-error\n"); // no meter, as where people look on
  await copy(CHECKOUT.map((name) => `${TOP}${name}`), `${folder}/checkout`);
  if (scene.program) await putProgram(`${folder}/bin`);
  const { env, node } = scene.place === "cluster" ? await startCluster(parts, `${folder}/bin`) : { env: {} };
  const home = `${folder}/home`;
  const terminal = parts.use(
    await Terminal.open({
      cwd: `${folder}/checkout`,
      env: {
        ...{ HOME: home, NO_COLOR: "1", DENO_DIR: await denoFolder(), ...env },
        PATH: `${folder}/bin:${home}/.local/bin:${folderOf(Deno.execPath())}:${Deno.env.get("PATH")}`,
      },
      alone: scene.place === "machine",
    }),
  );
  const kept = parts.move();
  return { terminal, node, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

/** A cluster in which nothing is installed, and kubectl for it. */
async function startCluster(
  parts: AsyncDisposableStack,
  bin: string,
): Promise<{ env: Record<string, string>; node: ProcessNode }> {
  const cluster = parts.use(await startControlPlane());
  const program = programImage(CLI, { user: 65532 });
  const node = parts.use(
    await startNode({
      controlPlane: cluster,
      images: {
        "registry.example.com/chancery": program,
        "chancery": program,
        "envoyproxy/envoy": await machineProgram("envoy"),
        "hashicorp/http-echo": programImage(ECHO_SERVER), // takes no notice of its arguments, and listens on the same port
      },
    }),
  );
  await Deno.symlink(cluster.kubectlPath, `${bin}/kubectl`);
  return { env: { KUBECONFIG: cluster.kubeconfig, KUBERC: "off" }, node };
}

/** The program, by both of its names. */
async function putProgram(bin: string): Promise<void> {
  const run = `exec deno run --quiet --no-check --allow-all ${CLI} "$@"\n`;
  await Deno.writeTextFile(`${bin}/chancery`, `#!/bin/sh\n${run}`, { mode: 0o755 });
  const plugin = `#!/bin/sh\nexport CHANCERY_PROGRAM="kubectl chancery"\n${run}`;
  await Deno.writeTextFile(`${bin}/kubectl-chancery`, plugin, { mode: 0o755 });
}

/** As a clone is: what is changed can be taken back. */
async function copy(from: readonly string[], to: string): Promise<void> {
  await run(["cp", "-r", ...from, to]);
  const git = ["git", "-C", to, "-c", "user.name=reader", "-c", "user.email=reader@example.com"];
  await run([...git, "init", "--quiet"]);
  await run([...git, "add", "manifests"]);
  await run([...git, "commit", "--quiet", "--message=A clone"]);
}

function folderOf(path: string): string {
  return path.replace(/\/[^/]*$/, "");
}

/** Where this Deno keeps what it has fetched: a place has no registry to fetch it from. */
export async function denoFolder(): Promise<string> {
  const { stdout } = await capture([Deno.execPath(), "info", "--json"]);
  return JSON.parse(stdout).denoDir;
}
