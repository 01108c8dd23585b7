import { entriesOf, type Log } from "../journal.ts";

const MAX_MS = 5_000;

/** After the last fault every client comes to hold what was written last, or the version to which that is rolled back, within 5 s. */
export function convergence(log: Log): string[] {
  const ended = entriesOf(log, "converged");
  const clients = new Set(entriesOf(log, "open").map(({ client }) => client));
  const silent = [...clients].filter((client) => !ended.some((one) => one.client === client));
  const lasting = entriesOf(log, "rolled back").filter(({ afterMs }) => afterMs === undefined || afterMs > MAX_MS);
  return [
    ...lasting.map(({ version, afterMs }) => `"${version}" was refused and taken back ${afterMs ?? "never"} ms later`),
    ...silent.map((client) => `${client}: the run ended before`),
    ...ended.filter(({ afterMs }) => afterMs === undefined || afterMs > MAX_MS).map(({ client, afterMs }) =>
      `${client}: ${afterMs === undefined ? "never came to hold" : `took ${afterMs} ms for`} what was written last`
    ),
  ];
}
