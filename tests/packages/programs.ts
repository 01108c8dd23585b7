import { buildGo, type GoProgram } from "../chart/go_tools.ts";

const source = new URL("go", import.meta.url).pathname;

/** Programs of those who read what we ship, each from its own Go module. */
const PROGRAMS = {
  /** Prometheus' checker of rules, without its service discoveries. */
  promtool: { files: [], package: "github.com/prometheus/prometheus/cmd/promtool", tags: "remove_all_sd" },
  /** The validation of bundles behind `operator-sdk bundle validate`. */
  "operator-verify": { files: [], package: "github.com/operator-framework/api/cmd/operator-verify" },
  /** The controllers and the injector of cert-manager.io. */
  certmanager: { files: ["certmanager/main.go"], package: "./certmanager" },
  /** BuildKit's reader and linter of Containerfiles. */
  containerfile: { files: ["containerfile/main.go"], package: "./containerfile" },
} as const satisfies Readonly<Record<string, Omit<GoProgram, "name" | "source">>>;

/** What a program said. */
export interface Said {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Path of a program, which is built the first time. */
export async function programPath(name: keyof typeof PROGRAMS): Promise<string> {
  return await buildGo({ name, source, ...PROGRAMS[name] });
}

/** Runs a program to its end. */
export async function runProgram(
  name: keyof typeof PROGRAMS,
  args: readonly string[],
  { cwd = "." } = {},
): Promise<Said> {
  const { code, stdout, stderr } = await new Deno.Command(await programPath(name), {
    args: [...args],
    cwd,
    stdin: "null",
  })
    .output();
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}
