import { expect } from "expect";
import { shortHash } from "../../src/base/hash/mod.ts";
import { whatWasAsked } from "./checks/i09_what_was_asked.ts";
import { checkLog, CHECKS } from "./checks/mod.ts";
import type { Entry, Happening, Log, StoredConfig, StoredRevision, TypeName, WireResource } from "./journal.ts";

/** A log in the making, in which everything is 100 ms after what was before. */
class Story {
  readonly entries: Entry[] = [];
  at = 0;

  tell(...happenings: readonly Happening[]): this {
    for (const one of happenings) this.entries.push({ at: this.at += 100, ...one } as Entry); // one of them with a time
    return this;
  }

  wait(ms: number): this {
    this.at += ms;
    return this;
  }
}

const NODE = "edge";
const CANARY = "31d0f7a9c2b84e56";

function wire(name: string, hash: string, more: Partial<WireResource> = {}): WireResource {
  return { name, version: hash, hash, ...more };
}

function of(stream: number, client = "delta", protocol: "delta" | "sotw" = "delta") {
  return { client, node: NODE, stream, protocol };
}

function ask(
  id: ReturnType<typeof of>,
  type: TypeName,
  more: Partial<Happening & { kind: "request" }> = {},
): Happening {
  return { kind: "request", ...id, type, nonce: "", names: [], subscribe: [], unsubscribe: [], claims: {}, ...more };
}

let nonces = 0;

function say(
  id: ReturnType<typeof of>,
  type: TypeName,
  resources: readonly WireResource[],
  more: Partial<Happening & { kind: "response" }> = {},
): Happening & { kind: "response" } {
  const pairs = resources.map(({ name, hash }) => `${JSON.stringify(name)}:${hash}`).sort().join("\n");
  const version = shortHash(pairs, 16);
  return { kind: "response", ...id, type, nonce: `n${++nonces}`, version, resources, removed: [], ...more };
}

/** A response and its acknowledgement. */
function taken(id: ReturnType<typeof of>, type: TypeName, resources: readonly WireResource[]): Happening[] {
  const response = say(id, type, resources);
  const names = id.protocol === "sotw" ? resources.map(({ name }) => name) : [];
  return [response, ask(id, type, { nonce: response.nonce, names })];
}

function write(serial: number, version: string, listener: string, bad?: "all"): Happening {
  const hashes = { CDS: ["a", "cluster-a"], LDS: ["l", listener], RDS: ["r", "route-r"] } as const;
  const resources = Object.entries(hashes).map(([type, [name, hash]]) => ({ type: type as TypeName, name, hash }));
  return {
    kind: "write",
    node: NODE,
    serial,
    version,
    resources: resources.map((one) => bad && one.type === "LDS" ? { ...one, bad } : one),
  };
}

const CONFIG: StoredConfig = {
  node: NODE,
  uid: "u1",
  generation: 3,
  version: "v3",
  desired: "v3",
  published: "v3",
  publication: "v3",
  acknowledged: "v3",
  rollbackCount: 0,
};

function revision(version: string, more: Partial<StoredRevision> = {}): StoredRevision {
  return { node: NODE, name: `edge-v3-${version}`, version, owner: "u1", published: false, tainted: false, ...more };
}

const REVISIONS = [revision("v1"), revision("v2"), revision("v3", { published: true })];

function store(more: Partial<Happening & { kind: "store" }> = {}): Happening {
  return { kind: "store", atRest: false, configs: [CONFIG], revisions: REVISIONS, ...more };
}

const CLUSTER = wire("a", "cluster-a");
const ROUTE = wire("r", "route-r", { cluster: "a" });

function listener(hash: string, more: Partial<WireResource> = {}): WireResource {
  return wire("l", hash, { route: "r", ...more });
}

/** Both clients come, and get everything. */
function start(story: Story, first: number): void {
  for (const [index, [client, protocol]] of ([["delta", "delta"], ["sotw", "sotw"]] as const).entries()) {
    const id = of(first + index, client, protocol);
    const names = protocol === "sotw";
    story.tell({ kind: "open", ...id }, ask(id, "CDS"), ...taken(id, "CDS", [CLUSTER]));
    story.tell(ask(id, "LDS"), ...taken(id, "LDS", [listener("listener-1")]));
    story.tell(ask(id, "RDS", names ? { names: ["r"] } : { subscribe: ["r"] }), ...taken(id, "RDS", [ROUTE]));
    story.tell(ask(id, "SDS", names ? { names: ["token"] } : { subscribe: ["token"] }));
    story.tell(...taken(id, "SDS", [wire("token", "secret-1")]));
  }
}

/** A run in which all is well, with `odd` told before its end. */
function run(odd: (story: Story) => void = () => {}): Log {
  const story = new Story();
  story.tell({ kind: "secret", node: NODE, name: "token", hash: "secret-1", canary: CANARY });
  story.tell(write(1, "v1", "listener-1"));
  start(story, 1);
  story.tell({ kind: "fault", fault: "disk full" }, { kind: "killed" });
  for (const [stream, client, protocol] of [[1, "delta", "delta"], [2, "sotw", "sotw"]] as const) {
    story.tell({ kind: "closed", ...of(stream, client, protocol) });
  }
  story.tell({ kind: "healed", fault: "disk full" });
  start(story, 3);
  for (const [serial, id] of [[2, of(3)], [3, of(4, "sotw", "sotw")]] as const) {
    story.tell(write(serial, `v${serial}`, `listener-${serial}`));
    story.tell(...taken(id, "LDS", [listener(`listener-${serial}`)]));
  }
  start(story, 5);
  odd(story);
  for (const client of ["delta", "sotw"]) story.tell({ kind: "converged", client, node: NODE, afterMs: 40 });
  for (const source of ["log", "/status", "/metrics"]) story.tell({ kind: "output", source, text: "all is well" });
  story.tell(store({ atRest: true }));
  return story.entries;
}

/** What each check is there for. */
const WRONG: Readonly<Record<string, Readonly<Record<string, (story: Story) => void>>>> = {
  I1: {
    "a read version without a revision": (story) => story.tell(store({ revisions: REVISIONS.slice(0, 2) })),
    "a revision that vanishes": (story) => story.tell(store(), store({ revisions: REVISIONS.slice(1) })),
    "a last write that was never read": (story) => story.tell(write(4, "v4", "listener-3")),
    "what was read is gone after a crash": (story) =>
      story.tell({ kind: "read", node: NODE, version: "v9" }, { kind: "killed" }, store()),
  },
  I2: {
    "two revisions of one version": (story) =>
      story.tell(store({ revisions: [...REVISIONS, revision("v1", { name: "other" })] })),
  },
  I3: {
    "content that nobody wrote": (story) => story.tell(...taken(of(5), "CDS", [wire("a", "half-written")])),
    "a version that is another's": (story) =>
      story.tell(...taken(of(5), "CDS", [{ ...CLUSTER, version: "cluster-b" }])),
    "a wrong version of a whole response": (story) =>
      story.tell(say(of(6, "sotw", "sotw"), "CDS", [CLUSTER], { version: "wrong" })),
  },
  I4: {
    "an older listener": (story) => {
      story.tell(...taken(of(5), "LDS", [listener("listener-3")]), ...taken(of(5), "LDS", [listener("listener-1")]));
    },
  },
  I5: {
    "a refused listener again and again": (story) => {
      story.tell(write(4, "v3", "listener-3", "all")).wait(20_000);
      for (let times = 0; times < 5; times++) {
        const refused = say(of(5), "LDS", [listener("listener-3", { bad: "all" })]);
        const error = { nonce: refused.nonce, error: "no", refused: [{ name: "l", hash: "listener-3" }] };
        story.tell(refused, ask(of(5), "LDS", error)).wait(3_000);
      }
    },
  },
  I6: {
    "a push right after an unanswered one": (story) => {
      story.tell(say(of(5), "CDS", [CLUSTER]), say(of(5), "CDS", [CLUSTER]));
    },
    "a fourth push without an answer": (story) => {
      for (let count = 0; count < 4; count++) story.tell(say(of(5), "CDS", [CLUSTER])).wait(2_000);
    },
    "a nonce that was used": (story) => {
      const response = say(of(5), "CDS", [CLUSTER]);
      story.tell(response, ask(of(5), "CDS", { nonce: response.nonce }), response);
    },
  },
  I7: {
    "a cluster that goes before its listener": (story) => story.tell(say(of(5), "CDS", [], { removed: ["a"] })),
    "a listener before its cluster": (story) =>
      story.tell(...taken(of(5), "LDS", [wire("l", "listener-3", { cluster: "b" })])),
  },
  I8: {
    "a client that needs too long": (story) =>
      story.tell({ kind: "converged", client: "delta", node: NODE, afterMs: 6_000 }),
    "a client that never gets there": (story) => story.tell({ kind: "converged", client: "delta", node: NODE }),
    "a rollback that takes too long": (story) =>
      story.tell({ kind: "rolled back", node: NODE, version: "v2", afterMs: 8_000 }),
    "a client of which nobody knows": (story) => story.tell({ kind: "open", ...of(9, "other") }),
  },
  I9: {
    "a name that was not asked for": (story) => story.tell(...taken(of(5), "RDS", [wire("s", "route-r")])),
    "a late answer": (story) =>
      story.tell(ask(of(5), "RDS", { subscribe: ["s"] })).wait(3_000).tell(say(of(5), "RDS", [], { removed: ["s"] })),
    "no answer": (story) =>
      story.tell(ask(of(5), "RDS", { subscribe: ["s"] })).wait(9_000).tell({ kind: "closed", ...of(5) }),
  },
  I10: {
    "an empty answer after a restart": (story) => story.tell(...taken(of(6, "sotw", "sotw"), "LDS", [])),
    "everything removed": (story) => story.tell(say(of(5), "SDS", [], { removed: ["token"] })),
    "an accepted version that is gone": (story) => story.tell(store({ configs: [{ ...CONFIG, acknowledged: "v0" }] })),
  },
  I12: {
    "a taint without a refusal": (story) =>
      story.tell(store({ revisions: REVISIONS.map((one) => ({ ...one, tainted: one.version === "v2" })) })),
    "a taint on the word of one client of two": (story) => {
      const bad = listener("listener-3", { bad: "odd" });
      const refused = say(of(5), "LDS", [bad]);
      story.tell(write(4, "v3", "listener-3"), ...taken(of(6, "sotw", "sotw"), "LDS", [bad]), refused);
      story.tell(
        ask(of(5), "LDS", { nonce: refused.nonce, error: "no", refused: [{ name: "l", hash: "listener-3" }] }),
      );
      story.tell(store({ revisions: REVISIONS.map((one) => ({ ...one, tainted: one.version === "v3" })) }));
    },
    "what all refuse is not tainted": (story) =>
      story.tell({ kind: "rolled back", node: NODE, version: "v2", afterMs: 300 }),
  },
  I13: {
    "too many revisions": (story) => {
      const many = Array.from({ length: 10 }, (_, index) => revision(`w${index}`));
      story.tell(store({ revisions: [...many, ...REVISIONS] }));
    },
    "the published one removed": (story) => story.tell(store({ revisions: REVISIONS.slice(0, 2) })),
  },
  I14: {
    "a secret in the log": (story) => story.tell({ kind: "output", source: "log", text: `token: ${CANARY}!` }),
    "a secret in hex": (story) =>
      story.tell({ kind: "output", source: "log", text: new TextEncoder().encode(CANARY).toHex() }),
    "a secret in base64": (story) => story.tell({ kind: "output", source: "log", text: btoa(`x: ${CANARY}!`) }),
  },
};

Deno.test("a run in which all is well passes every check", () => {
  expect(checkLog(run())).toEqual([]);
});

Deno.test("a run in which next to nothing happened is void", () => {
  expect(CHECKS["void"]!(run().filter(({ kind }) => kind !== "response")).length).toBeGreaterThan(0);
  expect(CHECKS["void"]!([]).length).toBeGreaterThan(0);
});

Deno.test("every check is proven to fail", () => {
  expect(Object.keys(WRONG)).toEqual(Object.keys(CHECKS).filter((name) => name !== "void"));
});

for (const [name, cases] of Object.entries(WRONG)) {
  for (const [what, odd] of Object.entries(cases)) {
    Deno.test(`${name}: the check tells of ${what}`, () => {
      expect(CHECKS[name]!(run(odd)).length).toBeGreaterThan(0);
    });
  }
}

Deno.test("I9: what a client brought along is answered by being left out, and news of it are no late answer", () => {
  const story = new Story();
  const brought = ask(of(20), "EDS", { subscribe: ["b", "d"], claims: { b: "b1", d: "d1" } });
  story.tell({ kind: "open", ...of(20) }, brought, say(of(20), "EDS", []));
  story.wait(1_500).tell(ask(of(20), "EDS", { subscribe: ["c"] }), say(of(20), "EDS", [wire("c", "c1")]));
  story.wait(500).tell(say(of(20), "EDS", [wire("b", "b2")]), { kind: "closed", ...of(20) });
  expect(whatWasAsked(story.entries)).toEqual([]);
  const silent = new Story().tell({ kind: "open", ...of(21) }, { ...brought, ...of(21) } as Happening);
  silent.wait(20_000).tell({ kind: "closed", ...of(21) });
  expect(whatWasAsked(silent.entries)).toHaveLength(2); // left out of no answer at all
});
