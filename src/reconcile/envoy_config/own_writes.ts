import { sameStatus } from "../../api/mod.ts";
import { formatKey } from "../../base/mod.ts";
import { keyOf, type ObjectEvent, type WatchedObject } from "../engine/object_source.ts";

/** Of more writes in a row to one object the oldest are told by their events only. */
const MAX_TAKEN = 8;

/**
 * What we are about to write. When it comes back as an event it is nothing new, so nobody has to look again; the same content
 * by somebody else's hand would be nothing new either.
 */
export class OwnWrites {
  readonly #replica: string;
  readonly #statuses = new Map<string, unknown>();
  readonly #presence = new Map<string, "added" | "deleted">();
  readonly #taken = new Map<string, string[]>(); // resource versions that were taken in before their events

  /** The reports of this replica are its own writes, too. */
  constructor(replica: string) {
    this.#replica = replica;
  }

  /** A status is about to be written. */
  status(object: WatchedObject, status: Record<string, unknown>): void {
    this.#statuses.set(idOf(object), this.#withoutReport(object, status));
  }

  /** A revision is about to be made or removed. */
  presence(id: string, expected: "added" | "deleted"): void {
    this.#presence.set(id, expected);
  }

  /** Whether what was about to be made or removed has not been told yet. */
  awaits(id: string): boolean {
    return this.#presence.has(id);
  }

  /** What was about to be written was not: should it come, it is another one's and news. */
  failed(id: string): void {
    this.#statuses.delete(id);
    this.#presence.delete(id);
  }

  /** What a write gave was taken in; its event will be old news. */
  wrote(object: WatchedObject): void {
    const { resourceVersion } = object.metadata;
    if (resourceVersion === undefined) return;
    const id = idOf(object);
    this.#taken.set(id, [...this.#taken.get(id) ?? [], resourceVersion].slice(-MAX_TAKEN));
  }

  /** Whether an event is the one of a write that was taken in already. After one that is not, all that follow are news. */
  isTaken(object: WatchedObject): boolean {
    const id = idOf(object);
    const versions = this.#taken.get(id);
    if (!versions) return false;
    const at = versions.indexOf(object.metadata.resourceVersion ?? "");
    if (at >= 0 && at + 1 < versions.length) this.#taken.set(id, versions.slice(at + 1));
    else this.#taken.delete(id);
    return at >= 0;
  }

  /** Whether an event tells only what we wrote, or what does not matter. `before` is what was known of the object. */
  explains({ type, object }: ObjectEvent, before: WatchedObject | undefined): boolean {
    const id = idOf(object);
    const expected = this.#presence.get(id) === type;
    this.#presence.delete(id);
    if (type === "deleted") {
      this.#statuses.delete(id);
      this.#taken.delete(id);
      return expected;
    }
    if (!before) return expected;
    const [one, other] = [before.metadata, object.metadata];
    if (one.uid !== other.uid || one.generation !== other.generation) return false;
    if (one.deletionTimestamp !== other.deletionTimestamp || !sameStatus(one.finalizers, other.finalizers)) {
      return false;
    }
    if (!sameStatus(one.ownerReferences, other.ownerReferences)) return expected;
    const now = this.#withoutReport(object, object.status);
    if (sameStatus(this.#withoutReport(before, before.status), now)) return true;
    const wanted = this.#statuses.get(id);
    if (wanted === undefined) return false;
    if (sameStatus(wanted, now)) return true;
    this.#statuses.delete(id); // somebody else had a say, and should ours come back it is news
    return false;
  }

  #withoutReport({ kind }: WatchedObject, status: unknown): unknown {
    if (kind !== "EnvoyConfigRevision" || !isRecord(status)) return status;
    const { clients } = status;
    if (!isRecord(clients) || !(this.#replica in clients)) return status;
    const others = Object.entries(clients).filter(([name]) => name !== this.#replica);
    return { ...status, clients: Object.fromEntries(others) };
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === "object";
}

function idOf(object: WatchedObject): string {
  return formatKey(keyOf(object));
}
