import { expect } from "expect";
import { RESOURCE_TYPES } from "../../envoy/mod.ts";
import { type Resource, snapshotOf } from "../../snapshot/mod.ts";
import { newSession, type SessionState, step, type XdsRequest } from "../session/mod.ts";
import { resourceVerdict } from "./resource_verdict.ts";

const LDS = RESOURCE_TYPES.find(({ short }) => short === "LDS")!.typeUrl;

function listener(name: string): Resource {
  return { typeUrl: LDS, name, version: `${name}-1`, body: new TextEncoder().encode(name) };
}

function request(fields: Partial<XdsRequest>): XdsRequest {
  const empty = { nonce: "", error: undefined, version: "", names: [], subscribe: [], unsubscribe: [] };
  return { typeUrl: LDS, ...empty, initialVersions: new Map(), ...fields };
}

/** A stream that was sent these listeners; what it says of them is still to come. */
function sent(...names: string[]): { session: SessionState; answer(message?: string): SessionState } {
  const offer = { serial: 1, snapshot: snapshotOf(names.map(listener)), retryRefused: false };
  const offered = step(newSession("delta"), { kind: "offer", offer }, 0).state;
  const { state: session, sends } = step(offered, { kind: "request", request: request({}) }, 0);
  const answer = (message?: string) => {
    const error = message === undefined ? undefined : { code: 13, message };
    return step(session, { kind: "request", request: request({ nonce: sends[0]!.nonce, error }) }, 5).state;
  };
  return { session, answer };
}

function kinds(session: SessionState, ...names: string[]): (string | undefined)[] {
  return names.map((name) => {
    const verdict = resourceVerdict(session, listener(name));
    return verdict?.kind === "rejected" ? `rejected: ${verdict.message}` : verdict?.kind;
  });
}

Deno.test("resourceVerdict() waits for an answer, and takes an acceptance for all", () => {
  const { session, answer } = sent("a", "b");
  expect(kinds(session, "a", "b")).toEqual(["pending", "pending"]);
  expect(kinds(answer(), "a", "b")).toEqual(["accepted", "accepted"]);
  expect(kinds(newSession("delta"), "a")).toEqual([undefined]);
});

Deno.test("resourceVerdict() gives each its own words of a refusal; what is not named was applied", () => {
  const { answer } = sent("a", "a: b", "c", "rtp", "rtp-2");
  const said = "Error adding/updating listener(s) a: bad: port 1, sorry\na: b: worse\nrtp-2: cannot bind\n";
  expect(kinds(answer(said), "a", "a: b", "c", "rtp", "rtp-2")).toEqual([
    "rejected: bad: port 1, sorry",
    "rejected: worse",
    "accepted",
    "accepted",
    "rejected: cannot bind",
  ]);
  const clusters = "Error adding/updating cluster(s) a: no, c: x, y: not allowed, rtp: no";
  expect(kinds(answer(clusters), "a", "c", "rtp", "rtp-2")).toEqual([
    "rejected: no",
    "rejected: x, y: not allowed",
    "rejected: no",
    "accepted",
  ]);
});

Deno.test("resourceVerdict() takes a refusal of the response as a whole for all", () => {
  const { answer } = sent("a", "b");
  const words = "duplicate name a found among added/updated resources";
  expect(kinds(answer(words), "a", "b")).toEqual([`rejected: ${words}`, `rejected: ${words}`]);
});
