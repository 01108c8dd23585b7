/** A command, and where it is run. */
export interface Walked {
  readonly command: readonly string[];
  readonly cwd: string;
  /** All variables that it sees. */
  readonly env: Readonly<Record<string, string>>;
}

const RUN_DEADLINE_MS = 15 * 60_000;
const TEST_DEADLINE_MS = 120 * 60_000;
const END_DEADLINE_MS = 20_000;
const CURL_EVERY_MS = 250;
/** What `deno task dev` proposes to type. */
const PROPOSED = /Try: (curl .*)$/m;

/** In a process group of its own, so that all that it starts ends with it. */
function start({ command, cwd, env }: Walked, stdout: "piped" | "inherit"): Deno.ChildProcess {
  const [program = "", ...args] = command;
  return new Deno.Command(program, {
    ...{ args, cwd, env: { ...env }, clearEnv: true, detached: true },
    ...{ stdin: "null", stdout, stderr: "inherit" },
  }).spawn();
}

/** Ends a process group, politely first. */
async function end(child: Deno.ChildProcess): Promise<void> {
  let ended = false;
  const status = child.status.then(() => ended = true);
  for (const signal of ["TERM", "KILL"]) {
    await new Deno.Command("kill", { args: ["-s", signal, "--", `-${child.pid}`], stderr: "null" }).output();
    const deadline = performance.now() + END_DEADLINE_MS;
    while (!ended && performance.now() < deadline) await delay(CURL_EVERY_MS);
    if (ended) break;
  }
  await status;
}

/** Runs a command that goes on until the request that it proposes is answered; gives the milliseconds. @throws {Error} when it ends before */
export async function untilAnswered(walked: Walked): Promise<number> {
  const began = performance.now();
  const child = start(walked, "piped");
  let printed = "";
  const read = (async () => {
    for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
      printed += text;
      await Deno.stdout.write(new TextEncoder().encode(text));
    }
  })();
  let ended = false;
  const status = child.status.then(() => ended = true);
  try {
    while (performance.now() - began < RUN_DEADLINE_MS) {
      const proposed = PROPOSED.exec(printed)?.[1];
      if (proposed !== undefined && await answers(proposed, walked)) return performance.now() - began;
      if (ended) throw new Error(`"${walked.command.join(" ")}" has ended`);
      await delay(CURL_EVERY_MS);
    }
    throw new Error(`"${walked.command.join(" ")}" has served nothing within ${RUN_DEADLINE_MS / 60_000} minutes`);
  } finally {
    await end(child);
    await Promise.all([read, status]);
  }
}

async function answers(curl: string, { cwd, env }: Walked): Promise<boolean> {
  const [program = "", ...args] = curl.split(" ");
  const { success, stdout } = await new Deno.Command(program, {
    ...{ args: ["--silent", "--show-error", "--fail", ...args], cwd, env: { ...env }, clearEnv: true },
  }).output();
  if (success) await Deno.stdout.write(stdout);
  return success;
}

/** Runs a command to its end. */
export async function untilEnded(walked: Walked): Promise<{ readonly code: number; readonly ms: number }> {
  const began = performance.now();
  const child = start(walked, "inherit");
  const late = setTimeout(() => void end(child), TEST_DEADLINE_MS);
  const { code } = await child.status;
  clearTimeout(late);
  return { code, ms: performance.now() - began };
}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
