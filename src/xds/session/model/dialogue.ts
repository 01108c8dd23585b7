import { RESOURCE_TYPES } from "../../../envoy/mod.ts";
import { type Resource, type Snapshot, snapshotOf } from "../../../snapshot/mod.ts";
import type { XdsRequest } from "../message.ts";
import type { Send } from "../send.ts";
import { DEFAULT_POLICY, newSession, type SessionPolicy, type SessionState } from "../state.ts";
import { type SessionEvent, type Step, step } from "../step.ts";

/** The type URL of a short name such as `CDS`. */
export function typeOf(short: string): string {
  return RESOURCE_TYPES.find((type) => type.short === short)!.typeUrl; // tests name types of the table
}

/** `"CDS a=1 b=2"`: one word per resource, `name=version`; a cluster `a=1@e` awaits the endpoints `e`, a host `h=1~x,y` has domains, a trailing `!` marks what was made from a Secret or endpoints. */
export function snapshot(...lines: readonly string[]): Snapshot {
  return snapshotOf(lines.flatMap((line) => {
    const [short, ...words] = line.split(" ");
    return words.map((word) => resource(typeOf(short!), word));
  }));
}

function resource(typeUrl: string, marked: string): Resource {
  const external = marked.endsWith("!");
  const word = external ? marked.slice(0, -1) : marked;
  const [, name = "", version = "", endpointsName, domains] = /^([^=]*)=([^@~]*)(?:@([^~]*))?(?:~(.*))?$/.exec(word)!;
  const body = new TextEncoder().encode(word);
  return {
    typeUrl,
    name,
    version,
    body,
    ...(endpointsName !== undefined && { endpointsName }),
    ...(domains !== undefined && { domains: domains.split(",") }),
    ...(external && { external }),
  };
}

/** `"CDS a=1 b=2 -c"`: what a response says; a delta response lists removed names with a minus. */
export function say(send: Send): string {
  const short = RESOURCE_TYPES.find((type) => type.typeUrl === send.typeUrl)?.short ?? send.typeUrl;
  const { payload } = send;
  const [entries, removed] = payload.protocol === "sotw"
    ? [payload.view.entries, []]
    : [payload.difference.changed, payload.difference.removed];
  const words = [...entries].flatMap(([name, { resource }]) => {
    if (!resource) return payload.protocol === "delta" ? [`${name}=none`] : [];
    const shown = resource.version.startsWith("\u0000") ? "empty" : resource.version;
    return [resource.name === name ? `${name}=${shown}` : `${name}=${shown}(${resource.name})`];
  });
  return [short, ...words, ...removed.map((name) => `-${name}`)].join(" ");
}

/** A stream told as a dialogue; each method gives what the server says in answer. */
export class Dialogue {
  state: SessionState;
  now = 0;
  last: Step | undefined;
  #serial = 0;
  readonly #nonces = new Map<string, string>();

  constructor(readonly protocol: "sotw" | "delta", policy: Partial<SessionPolicy> = {}) {
    this.state = newSession(protocol, { ...DEFAULT_POLICY, ...policy });
  }

  /** A new configuration. */
  offer(next: Snapshot, options: { retryRefused?: boolean } = {}): string[] {
    return this.#step({
      kind: "offer",
      offer: { serial: ++this.#serial, snapshot: next, retryRefused: options.retryRefused ?? false },
    });
  }

  /** The same configuration on other terms. */
  offerAgain(options: { retryRefused: boolean }): string[] {
    return this.#step({ kind: "offer", offer: { ...this.state.offer!, ...options } }); // only after an offer
  }

  /** Subscribes: in full in state of the world, in addition in delta. */
  ask(short: string, names: readonly string[] = [], more: Partial<XdsRequest> = {}): string[] {
    const own = this.protocol === "sotw" ? { names } : { subscribe: names };
    const nonce = this.protocol === "sotw" ? this.#nonces.get(short) ?? "" : "";
    return this.#request(short, { nonce, ...own, ...more });
  }

  /** Accepts the latest response of a type. */
  ack(short: string, more: Partial<XdsRequest> = {}): string[] {
    return this.#request(short, { nonce: this.nonce(short), names: this.#names(short), ...more });
  }

  /** Refuses the latest response of a type. */
  nack(short: string, message = "no", more: Partial<XdsRequest> = {}): string[] {
    return this.ack(short, { error: { code: 3, message }, ...more });
  }

  /** Lets time pass up to what the session wants to be woken for, or all of it. */
  pass(ms: number): string[] {
    const end = this.now + ms;
    const said: string[] = [];
    while (this.last?.wakeAt !== undefined && this.last.wakeAt <= end) {
      this.now = Math.max(this.now, this.last.wakeAt);
      said.push(...this.#step({ kind: "tick" }));
    }
    this.now = end;
    return said;
  }

  /** The nonce of the latest response of a type. */
  nonce(short: string): string {
    return this.#nonces.get(short) ?? "";
  }

  #names(short: string): readonly string[] {
    const wanted = this.state.types.get(typeOf(short))?.subscription;
    if (this.protocol === "delta" || !wanted) return [];
    const legacy = wanted.wildcard && wanted.names.size === 0 && ["CDS", "LDS", "SRDS"].includes(short);
    return wanted.wildcard && !legacy ? [...wanted.names, "*"] : [...wanted.names];
  }

  #request(short: string, fields: Partial<XdsRequest>): string[] {
    const request: XdsRequest = {
      typeUrl: typeOf(short),
      nonce: "",
      error: undefined,
      version: "",
      names: [],
      subscribe: [],
      unsubscribe: [],
      initialVersions: new Map(),
      ...fields,
    };
    return this.#step({ kind: "request", request });
  }

  #step(event: SessionEvent): string[] {
    this.last = step(this.state, event, this.now);
    this.state = this.last.state;
    for (const send of this.last.sends) {
      const short = RESOURCE_TYPES.find((type) => type.typeUrl === send.typeUrl)!.short;
      this.#nonces.set(short, send.nonce);
    }
    return this.last.sends.map(say);
  }
}
