import { entriesOf, type Entry, type Log, type RequestEvent, type ResponseEvent } from "../journal.ts";

/** All that was said on one stream about one type, in order. */
export interface Talk {
  readonly client: string;
  readonly node: string;
  readonly protocol: "sotw" | "delta";
  readonly stream: number;
  readonly type: string;
  readonly said: readonly (Entry & (RequestEvent | ResponseEvent))[];
  /** When the stream was over; infinite when it never was. */
  readonly closedAt: number;
}

/** The talks of a log, in the order in which they began. */
export function talksOf(log: Log): Talk[] {
  const talks = new Map<string, Talk & { said: (Entry & (RequestEvent | ResponseEvent))[] }>();
  const closed = new Map(entriesOf(log, "closed").map(({ stream, at }) => [stream, at]));
  for (const entry of entriesOf(log, "request", "response")) {
    const { client, node, protocol, stream, type } = entry;
    const id = `${stream} ${type}`;
    const talk = talks.get(id) ??
      { client, node, protocol, stream, type, said: [], closedAt: closed.get(stream) ?? Infinity };
    talk.said.push(entry);
    talks.set(id, talk);
  }
  return [...talks.values()];
}

/** The content of a resource without the marks of rollbacks, `-r2` gives 2. */
export function rollbacksIn(version: string): number {
  return Number(/-r(\d+)$/.exec(version)?.[1] ?? 0);
}

/** For messages. */
export function where({ client, stream, at }: { client: string; stream: number; at: number }): string {
  return `${client}, stream ${stream}, at ${at} ms`;
}
