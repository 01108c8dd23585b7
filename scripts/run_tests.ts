/**
 * `deno task test [FILE|FOLDER…]`: runs everything, or what is named, and prints the sum over all runs as its last line.
 * Tests that start real processes run one file after the other, so that they do not measure each other; the rest in parallel.
 * Those on a Kubernetes API server share one control plane, which runs only as long as they do.
 * @module
 */
import { SHARED_CONTROL_PLANE, startControlPlane, whyUnavailable } from "../tests/cluster/control_plane/mod.ts";
import { addCounts, countTests, formatCounts, type TestCounts } from "./test_summary.ts";

/** Folders of `tests/` whose files start real processes. */
const SERIAL = ["bundle", "cluster", "dev", "envoy", "faults", "standalone", "start", "virtual_service"];
/** Paths of tests that need a Kubernetes API server. */
const CLUSTER = /(^|\/)tests\/cluster(\/|$)/;
/** Folders of `tests/` that hold no tests of their own. */
const APART = ["testdata"];

interface Group {
  readonly name: string;
  readonly paths: readonly string[];
  readonly parallel: boolean;
  /** For each test that sets none, so that a hang is a failure. */
  readonly deadlineMs: number;
}

/** What to run, in this order. */
async function groupsOf(paths: readonly string[]): Promise<Group[]> {
  if (paths.length > 0) return [{ name: "named", paths, parallel: false, deadlineMs: 120_000 }];
  const folders: string[] = [];
  const files: string[] = [];
  for await (const entry of Deno.readDir("tests")) {
    if (entry.isDirectory) folders.push(entry.name);
    else if (entry.name.endsWith("_test.ts")) files.push(entry.name);
  }
  const quick = [...files, ...folders.filter((name) => !SERIAL.includes(name) && !APART.includes(name))].sort();
  const serial = folders.filter((name) => SERIAL.includes(name)).sort();
  return [
    { name: "unit", paths: ["src", "scripts"], parallel: true, deadlineMs: 60_000 },
    { name: "across folders", paths: quick.map((name) => `tests/${name}`), parallel: true, deadlineMs: 60_000 },
    ...serial.map((name) => ({ name, paths: [`tests/${name}`], parallel: false, deadlineMs: 120_000 })),
  ];
}

/** PATH with a real Envoy on it: fetched once, before the tests that want one run side by side. */
async function pathWithEnvoy(): Promise<string> {
  const { success, stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--quiet", "--allow-all", "scripts/envoy/mod.ts"],
    stdin: "null",
    stdout: "piped",
    stderr: "inherit",
  }).output();
  const path = Deno.env.get("PATH") ?? "";
  const folder = success ? new TextDecoder().decode(stdout).trim().replace(/\/?[^/]*$/, "") : "";
  return folder === "" ? path : `${folder}:${path}`;
}

/**
 * Runs the tests on a Kubernetes API server with a control plane that is built and started before them, so that no test's
 * deadline has to allow for it. One that cannot be had counts as a failed test, except where nothing to make it from is installed.
 */
async function runOnControlPlane(group: Group, env: Record<string, string>): Promise<TestCounts> {
  if (await whyUnavailable() !== undefined) return await runGroup(group, env); // where each says that it is ignored
  try {
    await using cluster = await startControlPlane({ audit: true });
    return await runGroup(group, { ...env, [SHARED_CONTROL_PLANE]: cluster.directory });
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    return { passed: 0, failed: 1, skipped: 0 };
  }
}

async function runGroup(group: Group, env: Record<string, string>): Promise<TestCounts> {
  console.log(`\n── ${group.name}: ${group.paths.join(" ")}`);
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      "test",
      "--allow-all",
      "--no-check",
      "--permit-no-files",
      "--preload",
      "scripts/test_deadline.ts",
      ...(group.parallel ? ["--parallel"] : []),
      ...group.paths,
    ],
    env: { DENO_JOBS: "2", TEST_DEADLINE_MS: String(group.deadlineMs), ...env },
    stdin: "null",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  let output = "";
  const decoder = new TextDecoder();
  for await (const chunk of child.stdout) {
    await Deno.stdout.write(chunk);
    output += decoder.decode(chunk, { stream: true });
  }
  return countTests(output, (await child.status).code);
}

if (import.meta.main) {
  Deno.chdir(new URL("..", import.meta.url));
  const env = { PATH: await pathWithEnvoy() };
  const counts: TestCounts[] = [];
  for (const group of await groupsOf(Deno.args)) {
    if (group.paths.length === 0) continue;
    const onCluster = group.paths.some((path) => CLUSTER.test(path));
    counts.push(await (onCluster ? runOnControlPlane : runGroup)(group, env));
  }
  const sum = addCounts(counts);
  console.log(`\n${formatCounts(sum)}`);
  Deno.exit(sum.failed > 0 || sum.passed === 0 ? 1 : 0);
}
