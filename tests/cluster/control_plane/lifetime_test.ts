import { expect } from "expect";
import { clusterTest, startControlPlane } from "./mod.ts";

/** Starts a control plane, says where, and waits to be killed. */
const OWNER = `
import { startControlPlane } from "./mod.ts";
const cluster = await startControlPlane({ components: ["etcd", "kube-apiserver"] });
console.log(cluster.directory);
await new Promise((resolve) => setTimeout(resolve, 60_000));
`;

clusterTest("several control planes start at once and know nothing of each other", async () => {
  const components = ["etcd", "kube-apiserver"] as const;
  const both = await Promise.all([startControlPlane({ components }), startControlPlane({ components })]);
  try {
    expect(both[0].server).not.toBe(both[1].server);
    const name = await both[0].namespace();
    expect((await both[0].kubectl(["get", "namespace", name])).code).toBe(0);
    expect((await both[1].kubectl(["get", "namespace", name])).stderr).toContain("NotFound");
  } finally {
    await Promise.all(both.map((each) => each[Symbol.asyncDispose]()));
  }
  for (const { directory } of both) await expectNothingLeft(directory);
});

clusterTest("a control plane ends when the process that it was for is killed", async () => {
  const owner = new Deno.Command(Deno.execPath(), {
    args: ["run", "--quiet", "--allow-all", "--no-check", "--ext=ts", "-"],
    cwd: new URL(".", import.meta.url).pathname,
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  const writer = owner.stdin.getWriter();
  await writer.write(new TextEncoder().encode(OWNER.replace("./mod.ts", new URL("mod.ts", import.meta.url).href)));
  await writer.close();
  const reader = owner.stdout.pipeThrough(new TextDecoderStream()).getReader();
  const directory = (await reader.read()).value!.trim();
  expect(await commandsIn(directory)).not.toEqual([]);
  owner.kill("SIGKILL");
  await owner.status;
  await reader.cancel();
  await expectNothingLeft(directory);
});

clusterTest("a component that cannot start is named, with its last words, and nothing is left", async () => {
  const start = startControlPlane({ components: ["etcd", "kube-apiserver"], apiserverFlags: ["--no-such-flag"] });
  const message = await start.then(() => "", (error: Error) => error.message);
  expect(message).toContain("Cannot start kube-apiserver: it has ended");
  expect(message).toContain("unknown flag: --no-such-flag");
  await expectNothingLeft(/(\/\S+)\/kube-apiserver\.log/.exec(message)![1]!);
});

/** Command lines of the processes that were started with this folder. */
async function commandsIn(directory: string): Promise<string[]> {
  const { stdout } = await new Deno.Command("ps", { args: ["-A", "-o", "args="] }).output();
  return new TextDecoder().decode(stdout).split("\n").filter((line) => line.includes(directory));
}

async function expectNothingLeft(directory: string): Promise<void> {
  const deadline = Date.now() + 10_000;
  const left = async () => [
    ...await commandsIn(directory),
    ...await Deno.stat(directory).then(() => [directory], () => []),
  ];
  while ((await left()).length > 0 && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 50));
  expect(await left()).toEqual([]);
}
