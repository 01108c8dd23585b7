/** What the process is told by signals. */
export interface SignalHandlers {
  /** SIGHUP. */
  reload(): void;
  /** The first SIGTERM or SIGINT. */
  stop(signal: Deno.Signal): void;
  /** Any further one: somebody is out of patience. */
  stopNow(signal: Deno.Signal): void;
}

/** Listens until disposed. */
export function listenToSignals(handlers: SignalHandlers): Disposable {
  let stopping = false;
  const listeners: [Deno.Signal, () => void][] = [
    ["SIGHUP", () => handlers.reload()],
    ...(["SIGTERM", "SIGINT"] as const).map((signal): [Deno.Signal, () => void] => [signal, () => {
      if (stopping) return handlers.stopNow(signal);
      stopping = true;
      handlers.stop(signal);
    }]),
  ];
  for (const [signal, listener] of listeners) Deno.addSignalListener(signal, listener);
  return {
    [Symbol.dispose]() {
      for (const [signal, listener] of listeners) Deno.removeSignalListener(signal, listener);
    },
  };
}
