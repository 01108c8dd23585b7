/**
 * The reader against Go: protojson, deterministic marshalling, and the validators that protoc-gen-validate generated for
 * go-control-plane. Needs Go and its module proxy, and two minutes to compile the first time, so it runs when GO_ORACLE=1.
 */
import { expect } from "expect";
import fc from "fast-check";
import { canonicalJson } from "../../src/base/mod.ts";
import { envoyRegistry, readMessage, RESOURCE_TYPES, toJson } from "../../src/envoy/mod.ts";
import { drawMessage } from "./arbitrary_json.ts";
import { knownStricter } from "./differences.ts";

const registry = envoyRegistry();
const RUNS = Number(Deno.env.get("ORACLE_RUNS") ?? 4000);

interface Question {
  readonly type: string;
  readonly json: unknown;
}

/** What `protos/generator/oracle` answers. */
interface Answer {
  readonly parsed: boolean;
  /** base64 */
  readonly bytes: string;
  readonly violations: readonly string[];
  readonly error: string;
}

/** Messages that Go has too: those of gRPC's own files are linked, those that only carry options are not worth drawing. */
const names = [...registry.names()].filter((name) => /^(envoy|xds|udpa)\./.test(name));
const roots = [
  ...RESOURCE_TYPES.map((type) => type.message),
  "envoy.config.bootstrap.v3.Bootstrap",
  "envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager",
];

function draw(mistakes: number): Question[] {
  const questions: Question[] = [];
  const type = fc.oneof(fc.constantFrom(...names), fc.constantFrom(...roots));
  fc.assert(
    fc.property(type, fc.gen(), (name, generate) => {
      const json = drawMessage(generate, registry.message(name)!, { registry, depth: 4, mistakes });
      questions.push({ type: name, json: JSON.parse(JSON.stringify(json)) }); // -0 becomes 0, as on its way to Go
    }),
    { numRuns: RUNS },
  );
  return questions;
}

function show(type: string, bytes: Uint8Array): string {
  return canonicalJson(toJson(registry, type, bytes, { reveal: true }));
}

async function askGo(questions: readonly Question[]): Promise<Answer[]> {
  const directory = await Deno.makeTempDir();
  try {
    const input = `${directory}/questions`;
    await Deno.writeTextFile(input, questions.map((q) => `${JSON.stringify(q)}\n`).join(""));
    const generator = new URL("../../protos/generator", import.meta.url);
    await run("go", ["build", "-o", `${directory}/oracle`, "./oracle"], generator);
    const output = await run("sh", ["-c", `"${directory}/oracle" < "${input}"`], generator);
    return output.trim().split("\n").map((line) => JSON.parse(line) as Answer); // one line of that form for each question
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

async function run(command: string, args: string[], cwd: URL): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(command, { args, cwd }).output();
  if (!success) throw new Error(`Cannot run ${command}: ${new TextDecoder().decode(stderr).slice(-2000)}`);
  return new TextDecoder().decode(stdout);
}

const ignore = Deno.env.get("GO_ORACLE") !== "1";

Deno.test(
  { name: "readMessage() makes the messages that Go makes, and counts the violations that Go counts", ignore },
  async () => {
    const questions = draw(0);
    const answers = await askGo(questions);
    const differences: string[] = [];
    let violations = 0;
    questions.forEach(({ type, json }, i) => {
      const go = answers[i]!;
      const lax = readMessage(registry, type, json, { rules: false, deprecations: false });
      const strict = readMessage(registry, type, json, { deprecations: false, limits: { findings: 1000 } });
      const ours = strict.findings.filter((f) => f.severity === "error" && f.rule !== "regex"); // Go compiles no expressions
      // Go writes members of a oneof after all other fields, so not the bytes are compared but what they say.
      const same = go.parsed && lax.bytes &&
        show(type, lax.bytes) === show(type, Uint8Array.fromBase64(go.bytes ?? ""));
      if (!same) {
        differences.push(
          `${type} ${JSON.stringify(json)}: messages differ: ${go.error} ${JSON.stringify(lax.findings)}`,
        );
      } else if (ours.length !== go.violations.length) {
        const findings = ours.map((f) => `${f.path.join(".")} ${f.rule}`);
        differences.push(
          `${type} ${JSON.stringify(json)}: ${JSON.stringify(findings)}, Go ${JSON.stringify(go.violations)}`,
        );
      }
      violations += go.violations?.length ?? 0;
    });
    expect(differences.slice(0, 10)).toEqual([]);
    expect(violations).toBeGreaterThan(RUNS / 4);
  },
);

Deno.test({ name: "readMessage() refuses what Go refuses", ignore }, async () => {
  const questions = draw(6);
  const answers = await askGo(questions);
  const differences = questions.flatMap(({ type, json }, i) => {
    const ours = readMessage(registry, type, json, { rules: false, deprecations: false });
    const go = answers[i]!;
    if (go.parsed === (ours.bytes !== undefined) || (go.parsed && knownStricter(ours.findings))) return [];
    return [`${type} ${JSON.stringify(json)}: ours ${JSON.stringify(ours.findings)}, Go ${go.error}`];
  });
  expect(differences.slice(0, 10)).toEqual([]);
});
