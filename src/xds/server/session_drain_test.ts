import { expect } from "expect";
import { SessionDrain } from "./session_drain.ts";

/** The part of a session that is used: PINGs that are answered by hand. */
function fakeSession() {
  const pongs: (() => void)[] = [];
  const session = {
    destroyed: false,
    ping(done: () => void) {
      pongs.push(done);
      return true;
    },
  };
  // Only `destroyed` and `ping` are used of a session.
  return { session: session as unknown as ConstructorParameters<typeof SessionDrain>[0], raw: session, pongs };
}

Deno.test("SessionDrain has one PING under way, and whoever comes later waits for the next one", () => {
  const { session, pongs } = fakeSession();
  const drain = new SessionDrain(session);
  const log: string[] = [];
  drain.whenRead(() => log.push("a"));
  drain.whenRead(() => log.push("b"));
  drain.whenRead(() => log.push("c"));
  expect(pongs.length).toBe(1);
  pongs[0]?.();
  expect(log).toEqual(["a"]);
  expect(pongs.length).toBe(2);
  pongs[1]?.();
  expect(log).toEqual(["a", "b", "c"]);
});

Deno.test("SessionDrain does not wait where no PING can be sent", () => {
  const { session, raw } = fakeSession();
  const drain = new SessionDrain(session);
  const log: string[] = [];
  raw.ping = () => false;
  drain.whenRead(() => log.push("refused"));
  raw.ping = () => {
    throw new Error("The session has been destroyed");
  };
  drain.whenRead(() => log.push("thrown"));
  raw.destroyed = true;
  drain.whenRead(() => log.push("destroyed"));
  expect(log).toEqual(["refused", "thrown", "destroyed"]);
});
