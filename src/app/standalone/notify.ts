/** What a service manager is told; all of it is nothing when there is none. */
export interface Notifier {
  /** Sends `lines` (`READY=1`, `STATUS=…`) as one message. Never throws: a service does not end because nobody listens. */
  send(...lines: readonly string[]): void;
  /** `RELOADING=1` with the time stamp that `Type=notify-reload` needs. */
  reloading(): void;
  /** Microseconds between the signs of life that the service manager asks for; `undefined` when it asks for none. */
  readonly watchdogUsec: number | undefined;
  close(): void;
}

/** Options of {@linkcode openNotifier}. */
export interface NotifierOptions {
  env(name: string): string | undefined;
  readonly pid: number;
  /** Told once when notifying does not work. */
  onFailure(message: string): void;
}

const AF_UNIX = 1;
const SOCK_DGRAM_CLOEXEC = 2 | 0o2000000;
const MSG_DONTWAIT_NOSIGNAL = 0x40 | 0x4000;
const CLOCK_MONOTONIC = 1;

const LIBC_SYMBOLS = {
  socket: { parameters: ["i32", "i32", "i32"], result: "i32" },
  sendto: { parameters: ["i32", "buffer", "usize", "i32", "buffer", "u32"], result: "isize" },
  close: { parameters: ["i32"], result: "i32" },
  clock_gettime: { parameters: ["i32", "buffer"], result: "i32" },
} as const;

/**
 * The sd_notify protocol. Deno has Unix datagram sockets only behind an unstable flag, so libc is called directly; where that
 * is not possible the program `systemd-notify` is started instead.
 * https://www.freedesktop.org/software/systemd/man/latest/sd_notify.html
 */
export function openNotifier(options: NotifierOptions): Notifier {
  const path = options.env("NOTIFY_SOCKET");
  const watchdogUsec = watchdogInterval(options);
  if (!path) return { send() {}, reloading() {}, watchdogUsec: undefined, close() {} };
  const libc = openLibc();
  if (!libc) return processNotifier(options, watchdogUsec);
  const { symbols } = libc;
  const fd = symbols.socket(AF_UNIX, SOCK_DGRAM_CLOEXEC, 0);
  const address = socketAddress(path);
  let failed = false;
  function send(...lines: readonly string[]): void {
    const message = new TextEncoder().encode(lines.join("\n"));
    const sent = fd < 0
      ? -1n
      : symbols.sendto(fd, message, BigInt(message.length), MSG_DONTWAIT_NOSIGNAL, address, address.length);
    if (sent >= 0n || failed) return;
    failed = true;
    options.onFailure(`Cannot notify the service manager at ${JSON.stringify(path)}`);
  }
  return {
    send,
    reloading: () => send("RELOADING=1", `MONOTONIC_USEC=${monotonicUsec(libc)}`),
    watchdogUsec,
    close() {
      if (fd >= 0) symbols.close(fd);
      libc.close();
    },
  };
}

type Libc = Deno.DynamicLibrary<typeof LIBC_SYMBOLS>;

function openLibc(): Libc | undefined {
  if (Deno.build.os !== "linux") return undefined;
  for (const name of ["libc.so.6", `libc.musl-${Deno.build.arch}.so.1`]) {
    try {
      return Deno.dlopen(name, LIBC_SYMBOLS);
    } catch {
      // not this kind of system, or no permission: the next way
    }
  }
  return undefined;
}

/** `struct sockaddr_un`; a leading `@` means the abstract namespace, written as a zero byte. */
function socketAddress(path: string): Uint8Array<ArrayBuffer> {
  const name = new TextEncoder().encode(path);
  const address = new Uint8Array(2 + name.length + (path.startsWith("@") ? 0 : 1));
  new DataView(address.buffer).setUint16(0, AF_UNIX, true);
  address.set(name, 2);
  if (path.startsWith("@")) address[2] = 0;
  return address;
}

function monotonicUsec(libc: Libc): bigint {
  const time = new BigInt64Array(2); // struct timespec
  libc.symbols.clock_gettime(CLOCK_MONOTONIC, time);
  return time[0]! * 1_000_000n + time[1]! / 1000n;
}

function watchdogInterval({ env, pid }: NotifierOptions): number | undefined {
  const usec = Number(env("WATCHDOG_USEC"));
  const wanted = env("WATCHDOG_PID");
  if (!(usec > 0) || (wanted && wanted !== String(pid))) return undefined;
  return usec;
}

/** The slow way. The service needs `NotifyAccess=all`, since another process sends. */
function processNotifier(options: NotifierOptions, watchdogUsec: number | undefined): Notifier {
  let last: Promise<unknown> = Promise.resolve();
  function start(args: readonly string[]): void {
    last = last.then(async () => {
      const command = new Deno.Command("systemd-notify", { args: [`--pid=${options.pid}`, ...args], stdin: "null" });
      const { success, stderr } = await command.output();
      if (!success) throw new Error(new TextDecoder().decode(stderr).trim());
    }).catch((thrown: unknown) => options.onFailure(`Cannot notify the service manager: ${String(thrown)}`));
  }
  return {
    send: (...lines) => start(lines),
    reloading: () => start(["--reloading"]),
    watchdogUsec,
    close() {},
  };
}
