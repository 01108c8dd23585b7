/**
 * `deno task dev [DIRECTORY]`: serves a directory of manifests, the example by default, to a real Envoy until Ctrl-C. The
 * directory is served in place, so editing it changes what Envoy does.
 * @module
 */
import { type Child, print, startChild } from "./dev/child.ts";
import { readExample } from "./dev/example.ts";
import { findEnvoy } from "./envoy/mod.ts";

// The defaults of the subcommands, and the environment that changes them there.
const ADDRESSES = {
  CHANCERY_XDS_BIND: Deno.env.get("CHANCERY_XDS_BIND") ?? "127.0.0.1:18000",
  CHANCERY_ADMIN_BIND: Deno.env.get("CHANCERY_ADMIN_BIND") ?? "127.0.0.1:18080",
  CHANCERY_ADMIN_ADDRESS: Deno.env.get("CHANCERY_ADMIN_ADDRESS") ?? "127.0.0.1:9901",
};
const { CHANCERY_XDS_BIND: XDS_ADDRESS, CHANCERY_ADMIN_BIND: ADMIN, CHANCERY_ADMIN_ADDRESS: ENVOY_ADMIN } = ADDRESSES;
const READY_DEADLINE_MS = 20_000;

function chancery(...args: string[]): string[] {
  return ["run", "--quiet", "--allow-all", "cli.ts", ...args];
}

/**
 * Whether the addresses are free: another program that answers there would be taken for ours.
 * @throws {Error} with the variable that chooses another address
 */
function refuseTaken(): void {
  for (const [name, address] of Object.entries(ADDRESSES)) {
    const [, hostname = "", port = ""] = /^(.*):(\d+)$/.exec(address) ?? [];
    try {
      Deno.listen({ hostname, port: Number(port) }).close();
    } catch (error) {
      if (!(error instanceof Deno.errors.AddrInUse)) throw error;
      throw new Error(`Cannot use ${address}: another program listens there; ${name} chooses another address`);
    }
  }
}

/** The bootstrap as a user would get it. */
async function printBootstrap(nodeId: string): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: chancery("bootstrap", "--node-id", nodeId, "--xds-address", XDS_ADDRESS, "--admin-address", ENVOY_ADMIN),
    stdout: "piped",
    stderr: "piped",
  }).output();
  const decoder = new TextDecoder();
  if (!success) throw new Error(`Cannot make a bootstrap: ${decoder.decode(stderr)}`);
  return decoder.decode(stdout);
}

/** Waits until a URL answers with success, a child ends, or the user wants to stop. */
async function answers(url: string, child: Child, signal: AbortSignal): Promise<void> {
  let gone = false;
  child.ended.then(() => gone = true);
  const end = performance.now() + READY_DEADLINE_MS;
  while (!signal.aborted && !gone && performance.now() < end) {
    const response = await fetch(url).catch(() => undefined);
    await response?.body?.cancel();
    if (response?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  if (gone) throw new Error(`${child.name} has ended; its last lines say why`);
  if (!signal.aborted) throw new Error(`${child.name} is not ready after ${READY_DEADLINE_MS / 1000} s: ${url}`);
}

async function dev(directory: string, work: string, signal: AbortSignal): Promise<number> {
  const example = await readExample(directory);
  if (!example) throw new Error(`Cannot find an EnvoyConfig in "${directory}"`);
  refuseTaken();
  const envoyPath = await findEnvoy((line) => print("dev", line));
  const children: Child[] = [];
  try {
    const server = startChild(
      "chancery",
      Deno.execPath(),
      chancery(
        "standalone",
        ...["--config", directory, "--data", `${work}/data`, "--xds-bind", XDS_ADDRESS],
        ...["--admin-bind", ADMIN, "--log-format", "console"],
      ),
    );
    children.push(server);
    await answers(`http://${ADMIN}/readyz`, server, signal);
    if (signal.aborted) return 0;

    await Deno.writeTextFile(`${work}/bootstrap.json`, await printBootstrap(example.nodeId));
    const envoy = startChild("envoy", envoyPath, [
      ...["-c", `${work}/bootstrap.json`, "--disable-hot-restart", "--concurrency", "1", "--log-level", "warning"],
    ]);
    children.push(envoy);
    await answers(`http://${ENVOY_ADMIN}/ready`, envoy, signal);
    if (signal.aborted) return 0;

    for (const url of example.urls) print("dev", `Try: curl ${url.startsWith("https") ? "--insecure " : ""}${url}`);
    print("dev", `Edit ${directory} and try again; state of things: http://${ADMIN}/status; Ctrl-C ends`);
    const stopped = new Promise<undefined>((resolve) => signal.addEventListener("abort", () => resolve(undefined)));
    const ended = await Promise.race([stopped, ...children.map((child) => child.ended.then(() => child))]);
    if (ended) print("dev", `${ended.name} has ended by itself`);
    return ended ? 1 : 0;
  } finally {
    for (const child of children.toReversed()) await child.stop();
  }
}

if (import.meta.main) {
  const directory = Deno.args[0] ? await Deno.realPath(Deno.args[0]) : undefined;
  Deno.chdir(new URL("..", import.meta.url));
  const stop = new AbortController();
  for (const name of ["SIGINT", "SIGTERM"] as const) Deno.addSignalListener(name, () => stop.abort());
  const work = await Deno.makeTempDir({ prefix: "chancery-dev-" });
  let code = 1;
  try {
    code = await dev(directory ?? "manifests/examples/standalone", work, stop.signal);
  } catch (error) {
    print("dev", error instanceof Error ? error.message : String(error));
  } finally {
    await Deno.remove(work, { recursive: true });
  }
  print("dev", "all stopped");
  Deno.exit(code);
}
