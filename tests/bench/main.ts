/**
 * `deno task bench`: chancery as a library beside go-control-plane, same machine, same run, same client.
 * Linux only: CPU time and memory come from /proc.
 */
import { buildPrograms, type Programs } from "./build.ts";
import { type Measures, type Row, rowsOf } from "./measures.ts";
import { fromFileUrl } from "./paths.ts";
import { openFilesOf } from "./proc.ts";
import { type Effort, FULL, QUICK, type Scenario, scenarios } from "./scenarios.ts";
import { type Room, runSession, type System } from "./session.ts";
import { tableOf } from "./table.ts";

const HELP = `Usage: deno task bench [options]
       deno task bench cluster [options]
       deno task bench agents [options]

Compares chancery with go-control-plane and prints ratios; with "cluster": measures a discovery service on a real API server; with
"agents": what runs in every pod.

  --quick          fewer streams, one round (about three minutes; the full run takes about twenty-five)
  --only NAME      only scenarios whose name contains NAME; may be given more than once
  --rounds N       rounds per scenario and server
  --shared N       streams on one connection (default 1, as with Envoy)
  --self           go-control-plane beside itself: how far from 1 noise alone takes the ratios
  --list           name the scenarios and stop
  -o table|wide|json   wide adds the medians that the ratios were made of`;

/** As an embedding program would be started to keep its memory low; the young generation cannot be set from inside. */
const V8_FLAGS = "--v8-flags=--max-semi-space-size=1";

interface Result {
  readonly rows: readonly Row[];
  /** Sessions that did not come to their end, and why. */
  readonly failures: readonly string[];
}

interface Options {
  quick: boolean;
  list: boolean;
  self: boolean;
  output: "table" | "wide" | "json";
  only: string[];
  effort: Effort;
}

async function main(): Promise<number> {
  const options = optionsOf(Deno.args);
  if (typeof options === "string") {
    console.error(options);
    return options === HELP ? 0 : 2;
  }
  const chosen = scenarios(options.quick).filter(({ name }) =>
    options.only.length === 0 || options.only.some((part) => name.includes(part))
  );
  if (options.list || chosen.length === 0) {
    console.log(scenarios(options.quick).map(({ name, title }) => `${name.padEnd(20)} ${title}`).join("\n"));
    return chosen.length === 0 ? 2 : 0;
  }
  const openFiles = enoughFiles(chosen, options.effort);
  const stop = new AbortController();
  const onSignal = () => stop.abort(new Error("Stopped"));
  for (const signal of ["SIGINT", "SIGTERM"] as const) Deno.addSignalListener(signal, onSignal);
  const certificates = await Deno.makeTempDir({ prefix: "chancery-bench-" });
  try {
    const programs = await buildPrograms(say);
    await writeCertificates(programs, certificates);
    const room: Room = { client: [programs.client], certificates, openFiles, signal: stop.signal };
    const result = await compare(chosen, options.self ? twice(systemsOf(programs)[0]) : systemsOf(programs), {
      effort: options.effort,
      room,
    });
    print(result, chosen, options);
    return result.failures.length === 0 ? 0 : 1;
  } catch (error) {
    if (stop.signal.aborted) return 130;
    throw error;
  } finally {
    for (const signal of ["SIGINT", "SIGTERM"] as const) Deno.removeSignalListener(signal, onSignal);
    await Deno.remove(certificates, { recursive: true });
  }
}

/** Both servers in turn, the order changing with every round, so that neither always runs on the warmer machine. */
async function compare(
  chosen: readonly Scenario[],
  systems: readonly [System, System],
  options: { effort: Effort; room: Room },
): Promise<Result> {
  const rows: Row[] = [];
  const failures: string[] = [];
  for (const scenario of chosen) {
    const rounds = new Map<System, Measures[]>(systems.map((system) => [system, []]));
    for (let round = 0; round < options.effort.rounds; round++) {
      for (const system of round % 2 === 0 ? systems : systems.toReversed()) {
        const started = Date.now();
        try {
          rounds.get(system)?.push(await runSession(system, scenario, options));
        } catch (error) {
          options.room.signal.throwIfAborted();
          const failure = failureOf(error);
          failures.push(failure); // the others are still worth knowing
          say(failure);
          continue;
        }
        say(
          `${scenario.name}, round ${round + 1} of ${options.effort.rounds}, ${system.name}: ${
            ((Date.now() - started) / 1000).toFixed(0)
          } s`,
        );
      }
    }
    const [theirs, ours] = systems;
    rows.push(...rowsOf(scenario, rounds.get(theirs) ?? [], rounds.get(ours) ?? []));
  }
  return { rows, failures };
}

/** An error and what caused it, in one line. */
function failureOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : `${error.message}: ${failureOf(error.cause)}`;
}

function systemsOf(programs: Programs): [System, System] {
  return [
    {
      name: "go-control-plane",
      command: (scenario, certificates) => [
        programs.goControlPlane,
        // In ADS mode its cache never answers a stream that asks for a part of the endpoints only.
        `-ads=${scenario.each === 0}`,
        ...(scenario.tls ? ["-tls", certificates] : []),
      ],
    },
    {
      name: "chancery",
      command: (scenario, certificates) => [
        Deno.execPath(),
        "run",
        "-A",
        V8_FLAGS,
        `${fromFileUrl(import.meta.url)}/chancery_server.ts`,
        ...(scenario.tls ? [certificates] : []),
      ],
    },
  ];
}

function twice(system: System): [System, System] {
  return [system, { ...system }];
}

function print({ rows, failures }: Result, chosen: readonly Scenario[], options: Options): void {
  if (options.output === "json") {
    return console.log(
      JSON.stringify({ cores: navigator.hardwareConcurrency, effort: options.effort, rows, failures }, null, 2),
    );
  }
  const titles = new Map(chosen.map(({ name, title }) => [name, `${name}: ${title}`]));
  console.log(tableOf(rows, titles, { absolute: options.output === "wide" }));
  for (const failure of failures) console.log(`\nFailed: ${failure}`);
  const judged = rows.filter((row) => row.met !== undefined);
  console.log(
    `\n${judged.filter((row) => row.met).length} of ${judged.length} targets met; chancery ran with ${V8_FLAGS}; ` +
      `${options.effort.rounds} rounds of ${options.effort.pushes} pushes, medians; ${navigator.hardwareConcurrency} cores shared with the client`,
  );
}

/** Every connection is one file in the client and one in the server. */
function enoughFiles(chosen: readonly Scenario[], effort: Effort): number {
  const needed = Math.ceil(Math.max(...chosen.map(({ streams }) => streams)) / effort.streamsPerConnection) + 200;
  const { hard } = openFilesOf(Deno.readTextFileSync("/proc/self/limits"));
  if (needed > hard) {
    throw new Error(
      `Cannot open ${needed} files: the hard limit is ${hard}; raise it ("ulimit -H -n ${needed}" as root), or put more streams on a connection with --shared`,
    );
  }
  return Math.min(hard, Math.max(needed, 4096));
}

async function writeCertificates(programs: Programs, folder: string): Promise<void> {
  const { success, stderr } = await new Deno.Command(programs.client, { args: ["certs", folder] }).output();
  if (!success) throw new Error(`Cannot make certificates: ${new TextDecoder().decode(stderr)}`);
}

function optionsOf(args: readonly string[]): Options | string {
  const options: Options = {
    quick: args.includes("--quick"),
    list: false,
    self: false,
    output: "table",
    only: [],
    effort: FULL,
  };
  let effort: Effort = options.quick ? QUICK : FULL;
  for (let i = 0; i < args.length; i++) {
    const value = args[i + 1] ?? "";
    const count = Number(value);
    switch (args[i]) {
      case "--quick":
        break;
      case "--list":
        options.list = true;
        break;
      case "--self":
        options.self = true;
        break;
      case "--only":
        options.only.push(value);
        i++;
        break;
      case "--rounds":
      case "--shared":
        if (!Number.isInteger(count) || count < 1 || count > 1000) {
          return `"${args[i]}" wants a number from 1 to 1000, not "${value}"`;
        }
        effort = args[i] === "--rounds" ? { ...effort, rounds: count } : { ...effort, streamsPerConnection: count };
        i++;
        break;
      case "-o":
        if (value !== "table" && value !== "wide" && value !== "json") {
          return `"-o" wants table, wide or json, not "${value}"`;
        }
        options.output = value;
        i++;
        break;
      case "-h":
      case "--help":
        return HELP;
      default:
        return `Unknown option "${args[i]}"\n\n${HELP}`;
    }
  }
  return { ...options, effort };
}

function say(line: string): void {
  console.error(line);
}

if (Deno.args[0] === "cluster") {
  const { benchCluster } = await import("./cluster/main.ts");
  Deno.exit(await benchCluster(Deno.args.slice(1)));
}
if (Deno.args[0] === "agents") {
  const { benchAgents } = await import("./agents/main.ts");
  Deno.exit(await benchAgents(Deno.args.slice(1)));
}
Deno.exit(await main());
