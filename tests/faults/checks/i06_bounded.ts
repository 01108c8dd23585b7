import type { Log } from "../journal.ts";
import { talksOf, where } from "./streams.ts";

const MAX_PUSHES = 3;
const SUPERSEDE_MS = 2_000;
/** The tap stands at the client: what left 2 s apart may arrive a little closer. */
const SLACK_MS = 400;

/** At most three unacknowledged pushes per type, each 2 s after the one before; nonces never repeat on a stream. */
export function bounded(log: Log): string[] {
  const faults: string[] = [];
  const nonces = new Set<string>();
  for (const talk of talksOf(log)) {
    let [asked, open] = [true, [] as { nonce: string; at: number }[]];
    for (const said of talk.said) {
      if (said.kind === "request") {
        const answered = open.findIndex(({ nonce }) => nonce === said.nonce);
        if (answered >= 0) open = talk.protocol === "sotw" ? open.slice(answered + 1) : open.toSpliced(answered, 1);
        const news = talk.protocol === "sotw" ? answered < 0 : said.subscribe.length > 0 || said.nonce === "";
        asked ||= news;
        continue;
      }
      const id = `${talk.stream} ${said.nonce}`;
      if (nonces.has(id)) faults.push(`${where(said)}: nonce "${said.nonce}" was used before`);
      nonces.add(id);
      if (!asked) {
        const newest = open.at(-1);
        if (newest && said.at - newest.at < SUPERSEDE_MS - SLACK_MS) {
          faults.push(
            `${where(said)}: a push of ${talk.type} ${said.at - newest.at} ms after one that is not answered`,
          );
        }
        open = [...open, { nonce: said.nonce, at: said.at }];
        if (open.length > MAX_PUSHES) {
          faults.push(`${where(said)}: ${open.length} pushes of ${talk.type} are not answered`);
        }
      }
      asked = false;
    }
  }
  return faults;
}
