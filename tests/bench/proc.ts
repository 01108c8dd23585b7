/** What Linux says about a process; CPU and memory are taken here, never from the program that is measured. */

/** The kernel's USER_HZ, 100 on every architecture Deno runs on. */
const TICKS_PER_SECOND = 100;

/** User and system time so far, in seconds, from the text of `/proc/PID/stat`. */
export function cpuSecondsOf(stat: string): number {
  // The command name may hold spaces and brackets; fields are counted behind its closing bracket.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/** A memory field of the text of `/proc/PID/status`, in bytes. */
export function memoryOf(status: string, field: "VmRSS" | "VmHWM"): number {
  const found = new RegExp(`^${field}:\\s+(\\d+) kB$`, "m").exec(status);
  if (!found) throw new Error(`Cannot find ${field} in the status of a process`);
  return Number(found[1]) * 1024;
}

/** The soft and hard limit of open files, from the text of `/proc/self/limits`. */
export function openFilesOf(limits: string): { soft: number; hard: number } {
  const found = /^Max open files\s+(\d+|unlimited)\s+(\d+|unlimited)/m.exec(limits);
  const number = (text: string | undefined) => text === undefined || text === "unlimited" ? Infinity : Number(text);
  return { soft: number(found?.[1]), hard: number(found?.[2]) };
}

export function cpuSeconds(pid: number): number {
  return cpuSecondsOf(Deno.readTextFileSync(`/proc/${pid}/stat`));
}

export function residentBytes(pid: number): number {
  return memoryOf(Deno.readTextFileSync(`/proc/${pid}/status`), "VmRSS");
}

export function peakBytes(pid: number): number {
  return memoryOf(Deno.readTextFileSync(`/proc/${pid}/status`), "VmHWM");
}

/** Starts the peak anew; `false` where the kernel does not let us, and then the peak is that of the whole life. */
export function resetPeak(pid: number): boolean {
  try {
    Deno.writeTextFileSync(`/proc/${pid}/clear_refs`, "5");
    return true;
  } catch {
    return false;
  }
}

/** Processes whose command line holds all these texts. */
export function pidsOf(...texts: readonly string[]): number[] {
  return [...Deno.readDirSync("/proc")].map(({ name }) => Number(name)).filter((pid) => {
    if (!Number.isInteger(pid)) return false;
    try {
      const command = Deno.readTextFileSync(`/proc/${pid}/cmdline`);
      return texts.every((text) => command.includes(text));
    } catch {
      return false; // it has just ended
    }
  });
}
