/** Before this nothing is shown: most runs are over by then. */
const QUIET_MS = 700;
const EVERY_MS = 100;

/** A line on a terminal that says how far a long run is. */
export interface Progress {
  show(done: number, total: number): void;
  /** Wipes the line out. */
  end(): void;
}

/** `now` gives milliseconds. */
export function progressLine(write: (text: string) => void, now: () => number = () => performance.now()): Progress {
  const start = now();
  let last = start;
  let shown = false;
  return {
    show(done, total) {
      const time = now();
      if (time - start < QUIET_MS || time - last < EVERY_MS) return;
      last = time;
      shown = true;
      write(`\r\x1b[KValidating ${total > 0 ? Math.floor(100 * done / total) : 100} %`);
    },
    end() {
      if (shown) write("\r\x1b[K");
    },
  };
}
