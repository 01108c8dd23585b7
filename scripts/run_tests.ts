/**
 * `deno task test [FILE|FOLDER…]`: runs everything, or what is named, and prints the sum over all runs as its last line.
 * Tests that start real processes mostly wait for them: they run one file after the other, in two lanes side by side, and on a bundle of
 * the program, which starts in less than half of the time; what measures time runs alone, the rest in parallel. Tests on a Kubernetes
 * API server share one control plane, which runs only as long as they do.
 * @module
 */
import { PROGRAM_UNDER_TEST } from "../tests/program.ts";
import {
  findExecutables,
  SHARED_CONTROL_PLANE,
  startControlPlane,
  whyUnavailable,
} from "../tests/cluster/control_plane/mod.ts";
import { addCounts, countTests, formatCounts, type TestCounts } from "./test_summary.ts";

/** Folders of `tests/` whose files start real processes, by lane. */
const LANES = [["cluster"], [
  "bundle",
  "dev",
  "envoy",
  "examples",
  "faults",
  "migrate",
  "readme",
  "standalone",
  "virtual_service",
]];
/** For a test that starts real processes: several times what the longest takes, since what runs beside it is not known. */
const LANE_DEADLINE_MS = 300_000;
/** Folders of `tests/` whose files measure time. */
const ALONE = ["start"];
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

/** Groups that run one after the other. */
type Lane = readonly Group[];

/** What to run: stages one after the other, the lanes of each side by side. */
async function stagesOf(paths: readonly string[]): Promise<Lane[][]> {
  if (paths.length > 0) return [[[{ name: "named", paths, parallel: false, deadlineMs: LANE_DEADLINE_MS }]]];
  const folders: string[] = [];
  const files: string[] = [];
  for await (const entry of Deno.readDir("tests")) {
    if (entry.isDirectory) folders.push(entry.name);
    else if (entry.name.endsWith("_test.ts")) files.push(entry.name);
  }
  const placed = [...LANES.flat(), ...ALONE, ...APART];
  const quick = [...files, ...folders.filter((name) => !placed.includes(name))].sort();
  const lane = (names: readonly string[]): Lane =>
    names.filter((name) => folders.includes(name))
      .map((name) => ({ name, paths: [`tests/${name}`], parallel: false, deadlineMs: LANE_DEADLINE_MS }));
  return [
    [[
      { name: "unit", paths: ["src", "scripts"], parallel: true, deadlineMs: 60_000 },
      { name: "across folders", paths: quick.map((name) => `tests/${name}`), parallel: true, deadlineMs: 60_000 },
    ]],
    LANES.map(lane),
    [lane(ALONE)],
  ];
}

/** The program as a bundle, for tests that start it; where none can be made they start the sources, and why is told. */
async function bundled(path: string): Promise<Record<string, string>> {
  const { success } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--quiet", "--allow-read", "--allow-write", "--allow-run", "scripts/bundle.ts", path],
    stdin: "null",
    stdout: "null",
    stderr: "inherit",
  }).output();
  return success ? { [PROGRAM_UNDER_TEST]: path } : {};
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

/** Builds the control plane, where one is wanted, before anything else needs the processors. A failure is told once it is started. */
async function buildControlPlane(lanes: readonly Lane[]): Promise<void> {
  const wanted = lanes.flat().some(({ paths }) => paths.some((path) => CLUSTER.test(path)));
  if (wanted && await whyUnavailable() === undefined) await findExecutables(console.log).catch(() => {});
}

/**
 * Runs the tests on a Kubernetes API server with a control plane that is started before them, so that no test's deadline has to
 * allow for it. One that cannot be had counts as a failed test, except where nothing to make it from is installed.
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
  const began = performance.now();
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
  let line = "";
  for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
    output += text;
    const lines = (line + text).split("\n");
    line = lines.pop() ?? "";
    // Whole lines, since those of two lanes come side by side.
    for (const whole of lines) console.log(whole);
  }
  if (line !== "") console.log(line);
  const counts = countTests(output, (await child.status).code);
  console.log(`── ${group.name}: ${formatCounts(counts)} in ${Math.round((performance.now() - began) / 1000)} s`);
  return counts;
}

async function runLane(lane: Lane, env: Record<string, string>): Promise<TestCounts> {
  const counts: TestCounts[] = [];
  for (const group of lane) {
    if (group.paths.length === 0) continue;
    const onCluster = group.paths.some((path) => CLUSTER.test(path));
    counts.push(await (onCluster ? runOnControlPlane : runGroup)(group, env));
  }
  return addCounts(counts);
}

if (import.meta.main) {
  Deno.chdir(new URL("..", import.meta.url));
  const folder = await Deno.makeTempDir({ prefix: "chancery-tests-" });
  const counts: TestCounts[] = [];
  try {
    const starts = Deno.args.length === 0 || Deno.args.some((path) => /(^|\/)tests(\/|$)/.test(path));
    const env = { PATH: await pathWithEnvoy(), ...(starts && await bundled(`${folder}/chancery.js`)) };
    for (const lanes of await stagesOf(Deno.args)) {
      await buildControlPlane(lanes);
      counts.push(...await Promise.all(lanes.map((lane) => runLane(lane, env))));
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
  const sum = addCounts(counts);
  console.log(`\n${formatCounts(sum)}`);
  Deno.exit(sum.failed > 0 || sum.passed === 0 ? 1 : 0);
}
