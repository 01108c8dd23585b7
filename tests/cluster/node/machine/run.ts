/** What a command printed and how it ended. */
export interface CommandResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Options of {@linkcode capture}. */
export interface CaptureOptions {
  readonly stdin?: string;
  /** Kills the command. */
  readonly signal?: AbortSignal;
}

/** Runs a command to its end, however that is. */
export async function capture(command: readonly string[], options: CaptureOptions = {}): Promise<CommandResult> {
  const [program = "", ...args] = command;
  const child = new Deno.Command(program, {
    args,
    stdin: options.stdin === undefined ? "null" : "piped",
    stdout: "piped",
    stderr: "piped",
    ...(options.signal ? { signal: options.signal } : {}),
  }).spawn();
  const output = child.output();
  if (options.stdin !== undefined) {
    const writer = child.stdin.getWriter();
    await writer.write(new TextEncoder().encode(options.stdin)).catch(() => {}); // it may end without reading
    await writer.close().catch(() => {});
  }
  const { code, stdout, stderr } = await output;
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}

/** Runs a command that has to succeed. @throws {Error} with what it said */
export async function run(command: readonly string[], options: CaptureOptions = {}): Promise<string> {
  const { code, stdout, stderr } = await capture(command, options);
  if (code !== 0) throw new Error(`Cannot run ${JSON.stringify(command.join(" "))}: ${code} ${stderr.trim()}`);
  return stdout;
}

/** Runs lines of `ip` in one process, in the network namespace that is named. */
export async function ipBatch(lines: readonly string[], namespace?: string): Promise<void> {
  const place = namespace === undefined ? [] : ["-netns", namespace];
  await run(["ip", ...place, "-batch", "-"], { stdin: `${lines.join("\n")}\n` });
}
