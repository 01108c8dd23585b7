import { expect } from "expect";
import { eventually } from "../../envoy/harness/mod.ts";
import { clusterTest, startControlPlane } from "./mod.ts";

const CONFIG = new URL("../../../deno.json", import.meta.url).pathname;

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
  const { directory, owner } = await startOwner();
  expect(await commandsIn(directory)).not.toEqual([]);
  owner.kill("SIGKILL");
  await owner.status;
  await expectNothingLeft(directory);
});

clusterTest(
  "where even its supervisor is killed the components end, and the next start removes the folder",
  async () => {
    const { directory, owner } = await startOwner();
    const { stdout } = await new Deno.Command("pgrep", { args: ["-f", `supervisor.ts ${directory}`] }).output();
    Deno.kill(Number(new TextDecoder().decode(stdout)), "SIGKILL");
    await eventually(async () => (await commandsIn(directory)).length === 0, { what: "the end of the components" });
    owner.kill("SIGKILL");
    await owner.status;
    await using _next = await startControlPlane({ components: ["etcd"] });
    await expectNothingLeft(directory);
  },
);

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
  await eventually(async () => {
    const folder = await Deno.stat(directory).then(() => [directory], () => []);
    expect([...await commandsIn(directory), ...folder]).toEqual([]);
    return true;
  }, { what: "nothing to be left" });
}

/** A process that has started a control plane and waits to be killed. */
async function startOwner(): Promise<{ owner: Deno.ChildProcess; directory: string }> {
  const script = await Deno.makeTempFile({ suffix: ".ts" });
  await Deno.writeTextFile(
    script,
    `import { startControlPlane } from ${JSON.stringify(import.meta.resolve("./mod.ts"))};
     console.log((await startControlPlane({ components: ["etcd", "kube-apiserver"] })).directory);
     setTimeout(() => {}, 120_000);`,
  );
  const owner = new Deno.Command(Deno.execPath(), {
    args: ["run", "--quiet", "--allow-all", "--no-check", `--config=${CONFIG}`, script],
    stdin: "null",
    stdout: "piped",
  }).spawn();
  const reader = owner.stdout.pipeThrough(new TextDecoderStream()).getReader();
  const directory = (await reader.read()).value!.trim();
  await reader.cancel();
  await Deno.remove(script);
  return { owner, directory };
}
