/** A program whose lines appear in our output, each after its name. */
export interface Child {
  readonly name: string;
  /** How it ended. */
  readonly ended: Promise<Deno.CommandStatus>;
  /** Asks it to end, and kills it when it does not; resolves when it is gone. */
  stop(): Promise<void>;
}

const STOP_DEADLINE_MS = 15_000;

/**
 * Starts a program in a process group of its own: Ctrl-C in a terminal reaches everyone in the foreground group, and whoever
 * started the programs decides in which order they end.
 */
export function startChild(name: string, command: string, args: readonly string[]): Child {
  const child = new Deno.Command(command, {
    args: [...args],
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
    detached: true,
  }).spawn();
  const copied = Promise.all([copyLines(name, child.stdout), copyLines(name, child.stderr)]);
  const ended = copied.then(() => child.status);
  return {
    name,
    ended,
    async stop() {
      if (!signal(child, "SIGTERM")) return void await ended;
      const timer = setTimeout(() => {
        print(name, `did not end within ${STOP_DEADLINE_MS / 1000} s and is killed`);
        signal(child, "SIGKILL");
      }, STOP_DEADLINE_MS);
      await ended;
      clearTimeout(timer);
    },
  };
}

/** One line of output. */
export function print(name: string, line: string): void {
  console.log(`${name.padEnd(8)} | ${line}`);
}

/** Whether the process was still there to be told. */
function signal(child: Deno.ChildProcess, name: Deno.Signal): boolean {
  try {
    child.kill(name);
    return true;
  } catch (error) {
    if (error instanceof TypeError || error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

async function copyLines(name: string, stream: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<void> {
  let rest = "";
  for await (const text of stream.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) print(name, line);
  }
  if (rest !== "") print(name, rest);
}
