import { entriesOf, type Log } from "../journal.ts";
import { type Talk, talksOf, where } from "./streams.ts";

/** A second, and what a busy machine takes. */
const MAX_MS = 1_000 + 1_000;
/** The first question of a client that comes back with a configuration waits as a push does. */
const RESUMED_MS = 3 * 5_000 + 1_000;

/** Names answered are among those asked for, and each is answered in time. */
export function whatWasAsked(log: Log): string[] {
  const gone = deletions(log);
  return talksOf(log).filter(({ type }) => type !== "CDS" && type !== "LDS").flatMap((talk) => ofTalk(talk, gone));
}

function ofTalk(talk: Talk, gone: readonly (readonly [from: number, to: number])[]): string[] {
  const faults: string[] = [];
  const waiting = new Map<string, number>();
  let brought: readonly string[] = []; // what the first request claims to hold
  let wanted = new Set<string>();
  const early = new Set<string>(); // dropped, while a response may be under way
  let first = true;
  let allowed = RESUMED_MS;
  for (const said of talk.said) {
    if (said.kind === "request") {
      const next = talk.protocol === "sotw"
        ? new Set(said.names)
        : wanted.union(new Set(said.subscribe)).difference(new Set(said.unsubscribe));
      for (const name of Object.keys(said.claims)) early.add(name); // what is no more is told to whoever claims to hold it
      for (const name of wanted) if (!next.has(name)) early.add(name);
      const news = talk.protocol === "sotw" ? said.names.filter((name) => !wanted.has(name)) : said.subscribe;
      for (const name of news) waiting.set(name, said.at);
      for (const name of waiting.keys()) if (!next.has(name)) waiting.delete(name);
      wanted = next;
      if (!first && news.length > 0) allowed = MAX_MS;
      if (first) brought = Object.keys(said.claims);
      first = false;
      continue;
    }
    for (const name of [...said.resources.map((one) => one.name), ...said.removed]) {
      if (!wanted.has(name) && !early.has(name)) faults.push(`${where(said)}: ${talk.type}/${name} was not asked for`);
      const since = waiting.get(name);
      waiting.delete(name);
      const excused = since !== undefined && gone.some(([from, to]) => from < said.at && to > since);
      if (since !== undefined && said.at - since > allowed && !excused) {
        faults.push(`${where(said)}: ${talk.type}/${name} was answered after ${said.at - since} ms`);
      }
    }
    for (const name of brought) waiting.delete(name); // it is as it was: the first answer says so by leaving it out
    brought = [];
  }
  // A client in state of the world cannot be told that a name does not exist.
  if (talk.protocol === "sotw" || talk.closedAt === Infinity) return faults;
  for (const [name, since] of waiting) {
    if (talk.closedAt - since <= allowed || gone.some(([from, to]) => from < talk.closedAt && to > since)) continue;
    faults.push(`${talk.client}, stream ${talk.stream}: ${talk.type}/${name}, asked for at ${since} ms, got no answer`);
  }
  return faults;
}

/** Times when nobody can answer: the file was deleted, until its configuration was read again, or a server hangs. */
function deletions(log: Log): [number, number][] {
  const silent = entriesOf(log, "fault").filter(({ fault, silent }) => fault === "file deleted" || silent);
  return silent.map(({ at, fault }) => {
    const healed = entriesOf(log, "healed").find((one) => one.at >= at && one.fault === fault);
    return [at, healed ? healed.at + AFTER_MS : Infinity];
  });
}

/** So long after it was mended a fault may still be felt. */
const AFTER_MS = 2_000;
